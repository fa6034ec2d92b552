import { readFileSync, statSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Where a name is looked for: the domains behind it, and how many dots make it a full name. */
export interface Search {
  domains: readonly string[];
  dots: number;
}

const dotsDefault = 1;
const dotsMax = 15;
/** How often a file is looked at for a change. */
const lookEveryMs = 1_000;

/** Addresses of a name in the text of a hosts file, in its order. */
export function hostsAddresses(text: string, name: string): ResolvedAddress[] {
  const wanted = name.toLowerCase();
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#', 1)[0] ?? '').trim().split(/\s+/);
    const family = isIP(address.split('%', 1)[0] ?? '');
    if ((family !== 4 && family !== 6) || !names.some((known) => known.toLowerCase() === wanted)) return [];
    return [{ address, family }];
  });
}

/** The search list in the text of a `resolv.conf`: its last line counts; without one, the domain of this host. */
export function searchIn(text: string, host: string): Search {
  let domains = host
    .split('.')
    .slice(1)
    .join('.')
    .split(' ')
    .filter((domain) => domain !== '');
  let dots = dotsDefault;
  for (const line of text.split('\n')) {
    const [word, ...rest] = (line.split(/[#;]/, 1)[0] ?? '').trim().split(/\s+/);
    if (word === 'search' || word === 'domain') domains = word === 'domain' ? rest.slice(0, 1) : rest;
    const given = word === 'options' ? rest.findLast((option) => /^ndots:\d+$/.test(option)) : undefined;
    if (given !== undefined) dots = Math.min(dotsMax, Number(given.slice('ndots:'.length)));
  }
  return { domains: domains.map((domain) => domain.replace(/\.$/, '')), dots };
}

/** The full names that a name may stand for, in the order in which they are asked for. */
export function fullNames(name: string, { domains, dots }: Search): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const searched = domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length > dots ? [name, ...searched] : [...searched, name];
}

/**
 * Text of a small system file, read again when it has changed. Reads are synchronous: microseconds, and libuv's pool
 * may be busy.
 */
class WatchedFile {
  private seen = '';
  private text = '';
  private lookAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly path: string) {}

  read(): string {
    const now = performance.now();
    if (now < this.lookAt) return this.text;
    this.lookAt = now + lookEveryMs;
    const found = statSync(this.path, { throwIfNoEntry: false });
    const version = found ? `${found.ino}:${found.mtimeMs}:${found.size}` : '';
    if (version !== this.seen) this.text = found ? readFileSync(this.path, 'utf8') : '';
    this.seen = version;
    return this.text;
  }
}

/** What this machine knows about names without asking a name server. */
export class SystemNames {
  private readonly hosts: WatchedFile;
  private readonly resolvConf: WatchedFile;
  private readonly host = hostname();

  constructor(
    { hosts, resolvConf }: { hosts: string; resolvConf: string } = {
      hosts: '/etc/hosts',
      resolvConf: '/etc/resolv.conf',
    },
  ) {
    this.hosts = new WatchedFile(hosts);
    this.resolvConf = new WatchedFile(resolvConf);
  }

  /** Addresses by the hosts file, and of `localhost` and below it; empty for a name that must be asked for. */
  addresses(name: string): ResolvedAddress[] {
    const bare = name.replace(/\.$/, '').toLowerCase();
    const known = hostsAddresses(this.hosts.read(), bare);
    if (known.length > 0 || !/(^|\.)localhost$/.test(bare)) return known;
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
  }

  fullNames(name: string): string[] {
    return fullNames(name, searchIn(this.resolvConf.read(), this.host));
  }

  /** The family to try first: IPv6 where this machine has an address of the public internet in it. */
  get firstFamily(): 4 | 6 {
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    return own.some(({ family, address }) => family === 'IPv6' && isPublicAddress(address)) ? 6 : 4;
  }
}
