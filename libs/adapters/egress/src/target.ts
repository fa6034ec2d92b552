import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

/**
 * Where web servers listen: 80, 443, and 8000 to 8999 for the alternates (8080, 8443, ...). All else needs an entry in
 * the allow list.
 */
function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || (port >= 8000 && port <= 8999);
}

/** Where mail servers take mail. */
const mailPorts: ReadonlySet<number> = new Set([25, 465, 587]);

const urlCharactersMax = 2048;
const hostCharactersMax = 255;

export interface Target {
  /** As it was written. */
  text: string;
  url: URL;
  secure: boolean;
  /** Without brackets. */
  host: string;
  port: number;
  /** The operator named this host and port: no address check. */
  allowed: boolean;
  /** The host is an address, not a name. */
  literal: boolean;
}

/** Why nothing may be sent there; `blocked` when the reason is the address. */
export interface Refused {
  refused: string;
  blocked: boolean;
}

/** `host:port` pairs of `SVC_EGRESS_ALLOW`; IPv6 addresses in brackets. */
export class AllowList {
  private readonly pairs: ReadonlySet<string>;

  /** Throws an error that names every pair which is not `host:port`. */
  constructor(pairs: readonly string[]) {
    const faults: string[] = [];
    const known = new Set<string>();
    for (const pair of pairs) {
      const match = /^(\[[0-9a-f:.]+\]|[^\s/:@[\]]+):(\d{1,5})$/i.exec(pair.trim());
      const host = match?.[1];
      const port = Number(match?.[2]);
      if (host && port >= 1 && port <= 65_535 && URL.canParse(`http://${host}/`))
        known.add(`${new URL(`http://${host}/`).hostname}:${port}`);
      else faults.push(pair);
    }
    if (faults.length > 0) throw new Error(`not host:port: ${faults.join(', ')}`);
    this.pairs = known;
  }

  has(hostname: string, port: number): boolean {
    return this.pairs.has(`${hostname}:${port}`);
  }
}

/**
 * Reads a URL and checks what can be checked without a name server (control S26).
 *
 * Takes    the URL as a user gave it. The URL standard's parser turns decimal, octal, hexadecimal, short and full-width
 *          forms of an address into the plain one before it is looked at.
 * Gives    the target, or the reason it is refused; `blocked` when that reason is the address.
 */
export function readTarget(text: string, allow: AllowList): Target | Refused {
  const target = parsed(text);
  return 'refused' in target ? target : judged(target, allow, isWebPort);
}

function parsed(text: string): Omit<Target, 'allowed'> | Refused {
  const invalid = (refused: string) => ({ refused, blocked: false });
  if (text.length > urlCharactersMax) return invalid(`longer than ${urlCharactersMax} characters`);
  if (!URL.canParse(text)) return invalid('not a URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return invalid('scheme must be http or https');
  if (url.username !== '' || url.password !== '') return invalid('must not carry a user name or password');
  if (url.hostname === '') return invalid('has no host');
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const literal = isIP(host) !== 0;
  return { text, url, secure, host, port, literal };
}

/**
 * Reads the address of a mail server as `readTarget` reads a URL: the same forms of an address, other ports.
 * TLS on its connection is the mail protocol's.
 */
export function readMailTarget(host: string, port: number, allow: AllowList): Target | Refused {
  const target = parsed(mailUrl(host, port));
  if ('refused' in target) return target;
  if (target.url.pathname !== '/') return { refused: 'not a host', blocked: false };
  return judged({ ...target, secure: false }, allow, (of) => mailPorts.has(of));
}

/** The address of a mail server, written as a URL. */
export function mailUrl(host: string, port: number): string {
  return `https://${host}:${port}/`;
}

function judged(
  target: Omit<Target, 'allowed'>,
  allow: AllowList,
  isPort: (port: number) => boolean,
): Target | Refused {
  const { text, url, host, port, literal } = target;
  if (allow.has(url.hostname, port)) return { ...target, allowed: true };
  if (!isPort(port)) return { refused: blockedBecause('port is not allowed', text), blocked: true };
  if (literal ? !isPublicAddress(host) : isLocalName(host))
    return { refused: blockedBecause('address is not public', text), blocked: true };
  return { ...target, allowed: false };
}

/** Says what would let the address pass: the pair as it was written, never what its name resolved to. */
export function blockedBecause(reason: string, text: string): string {
  const url = new URL(text);
  const [, written = ''] = /^\s*https?:\/\/([\x21-\x7e]*?)(?:[/?#\\]|$)/i.exec(text) ?? [];
  const host = written === '' || written.length > hostCharactersMax ? url.host : written;
  const pair = /:\d*$/.test(host) ? host : `${host}:${url.protocol === 'https:' ? 443 : 80}`;
  return `${reason}: SVC_EGRESS_ALLOW does not name ${pair}`;
}

function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost');
}
