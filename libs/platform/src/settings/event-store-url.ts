import { accessSync, constants } from 'node:fs';
import { SettingFault } from './setting.js';

const protocolPattern = /^(?:esdb|kurrentdb)(\+discover)?:\/\//;
const hostPattern = /^([A-Za-z0-9._-]{1,253})(?::(\d{1,5}))?$/;
const defaultPort = 2113;
const hostsMax = 100;
const nodePreferences = ['leader', 'follower', 'random', 'readOnlyReplica'];

type Check = (value: string) => string | null;

const flag: Check = (value) => (value === 'true' || value === 'false' ? null : 'takes true or false');
const number: Check = (value) => (/^-?\d{1,9}$/.test(value) ? null : 'takes a whole number');
const anyText: Check = (value) => (decoded(value) === null ? 'is not percent-encoded correctly' : null);
const file: Check = (value) => {
  const path = decoded(value);
  if (path === null) return 'is not percent-encoded correctly';
  try {
    accessSync(path, constants.R_OK);
    return null;
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    return `names a file that cannot be read (${code}): give its whole path`;
  }
};

/** The client's options by the name that it knows; it compares names without case, `_` and `-`. */
const options: Readonly<Record<string, Check>> = {
  tls: flag,
  // The client prints the whole text, password included, when it meets `false`, and verifies all the same.
  tlsVerifyCert: (value) =>
    value === 'true' ? null : 'takes true only: name the authority of the certificates with tlsCaFile',
  tlsCAFile: file,
  userCertFile: file,
  userKeyFile: file,
  nodePreference: (value) =>
    nodePreferences.some((node) => flat(node) === flat(value)) ? null : `takes one of ${nodePreferences.join(', ')}`,
  connectionName: anyText,
  throwOnAppendFailure: flag,
  maxDiscoverAttempts: number,
  discoveryInterval: number,
  gossipTimeout: number,
  defaultDeadline: number,
  keepAliveInterval: number,
  keepAliveTimeout: number,
};
const nameOf = new Map(Object.keys(options).map((name) => [flat(name), name]));

/**
 * Connection string of the event store: `esdb://[user:password@]host[:port],...[?option=value&...]`.
 *
 * Gives    the same in the one form that the client takes without a word.
 * Refuses  whatever the client would refuse, ignore or print. The fault says which part is wrong by its place, and
 *          repeats no text that may be secret.
 */
export function eventStoreUrl(given: string): string {
  const [scheme, discover] = protocolPattern.exec(given) ?? [];
  if (scheme === undefined)
    throw new SettingFault(
      'takes a URL that starts with esdb://, esdb+discover://, kurrentdb:// or kurrentdb+discover://',
    );
  const [authority = '', query, ...more] = given.slice(scheme.length).split('?');
  if (more.length > 0)
    throw new SettingFault('holds more than one "?": write %3F in the account and in values of options');
  const at = authority.lastIndexOf('@');
  const hosts = hostsOf(authority.slice(at + 1).replace(/\/+$/, ''));
  if (discover !== undefined && hosts.length > 1)
    throw new SettingFault('names several hosts: +discover takes one DNS name');
  const account = at === -1 ? '' : `${accountOf(authority.slice(0, at))}@`;
  return `esdb${discover ?? ''}://${account}${hosts.join(',')}${optionsOf(query)}`;
}

function accountOf(text: string): string {
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1)
    throw new SettingFault('has an account without user or password: it is user:password@');
  const parts = [text.slice(0, colon), text.slice(colon + 1)].map(decoded);
  if (/[/@#]/.test(text) || parts.includes(null)) {
    throw new SettingFault(
      'has an account that is not percent-encoded: write %25 for %, %2F for /, %3F for ?, %40 for @, %23 for #',
    );
  }
  return parts.map((part) => encodeURIComponent(part ?? '')).join(':');
}

function hostsOf(text: string): string[] {
  const hosts = text.split(',');
  if (text === '' || hosts.length > hostsMax) throw new SettingFault(`names no host, or more than ${hostsMax}`);
  return hosts.map((host, index) => {
    const [, name, digits] = hostPattern.exec(host.trim()) ?? [];
    if (name === undefined)
      throw new SettingFault(`has no host:port in place ${index + 1} of its hosts (names and IPv4 addresses)`);
    const port = Number(digits ?? defaultPort);
    if (port < 1 || port > 65_535) throw new SettingFault(`has no port from 1 to 65535 at host ${index + 1}`);
    return `${name}:${port}`;
  });
}

function optionsOf(query: string | undefined): string {
  if (query === undefined || query === '') return '';
  const found = new Map<string, string>();
  for (const [index, pair] of query.split('&').entries()) {
    const [key = '', value = '', ...more] = pair.split('=').map((part) => part.trim());
    const name = nameOf.get(flat(key));
    if (name === undefined)
      throw new SettingFault(
        `has an unknown option in place ${index + 1}: known are ${Object.keys(options).join(', ')}`,
      );
    if (value === '' || more.length > 0)
      throw new SettingFault(`has no ${name}=value in place ${index + 1} of its options`);
    if (found.has(name)) throw new SettingFault(`has the option ${name} twice`);
    const fault = options[name]?.(value) ?? null;
    if (fault !== null) throw new SettingFault(`has an option ${name} that ${fault}`);
    found.set(name, value);
  }
  if (found.has('userCertFile') !== found.has('userKeyFile'))
    throw new SettingFault('has userCertFile or userKeyFile alone: they go together');
  return `?${[...found].map(([name, value]) => `${name}=${value}`).join('&')}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function flat(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}
