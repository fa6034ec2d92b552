import { isIP } from 'node:net';
import { parseCIDR } from 'ipaddr.js';
import { SettingFault } from './setting.js';

type Parse<T> = (text: string) => T;

export const text: Parse<string> = (value) => value;

/** A switch: `on` or `off`. */
export const onOff: Parse<boolean> = (value) => {
  if (value === 'on') return true;
  if (value === 'off') return false;
  throw new SettingFault('takes on or off');
};

export function whole(min: number, max: number): Parse<number> {
  return (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= min && number <= max)) throw new SettingFault(`takes a whole number from ${min} to ${max}`);
    return number;
  };
}

/** A port, or `off`. */
export const portOrOff: Parse<number | null> = (value) => {
  if (value === 'off') return null;
  try {
    return whole(1, 65_535)(value);
  } catch (error) {
    throw new SettingFault('takes a whole number from 1 to 65535, or off', { cause: error });
  }
};

export function oneOf<const T extends string>(...allowed: readonly T[]): Parse<T> {
  return (value) => {
    const found = allowed.find((word) => word === value);
    if (found === undefined) throw new SettingFault(`takes one of ${allowed.join(', ')}`);
    return found;
  };
}

export function matching(pattern: RegExp, form: string): Parse<string> {
  return (value) => {
    if (!pattern.test(value)) throw new SettingFault(`takes ${form}`);
    return value;
  };
}

export function listOf<T>(parse: Parse<T>, itemsMax = 1_000): Parse<readonly T[]> {
  return (value) => {
    const items = value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    if (items.length > itemsMax) throw new SettingFault(`takes at most ${itemsMax} entries`);
    return items.map((item) => parse(item));
  };
}

/** A list that means something only with an entry. */
export function atLeastOne<T>(parse: Parse<readonly T[]>, form: string): Parse<readonly T[]> {
  return (value) => {
    const items = parse(value);
    if (items.length === 0) throw new SettingFault(`takes ${form}, at least one`);
    return items;
  };
}

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

/** Labels of letters, digits and hyphens, with dots between them. */
export const domainName: Parse<string> = (value) =>
  matching(new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*$`), 'a domain name')(value);

export function url(...protocols: readonly string[]): Parse<string> {
  return (value) => {
    if (!URL.canParse(value)) throw new SettingFault('takes a URL');
    const { protocol } = new URL(value);
    if (!protocols.includes(protocol)) throw new SettingFault(`takes a URL that starts with ${protocols.join(' or ')}`);
    return value;
  };
}

/** URL of a process, or its IP address alone. */
export const address: Parse<string> = (value) => {
  if (isIP(value) > 0) return value;
  if (!URL.canParse(value)) throw new SettingFault('takes a URL or an IP address');
  return url('http:', 'https:')(value).replace(/\/$/, '');
};

/** An origin as browsers send it: scheme, host and port, nothing behind. */
export const origin: Parse<string> = (value) => {
  if (!URL.canParse(value) || new URL(value).origin !== value)
    throw new SettingFault('takes origins such as https://console.example.com');
  return value;
};

/** An origin of http or https. */
export const httpOrigin: Parse<string> = (value) => {
  const own = origin(value);
  if (!/^https?:/.test(own)) throw new SettingFault('takes an http or https origin');
  return own;
};

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

export const hostPort: Parse<HostPort> = (value) => {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/@]+)):(\d{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined || !(port >= 1 && port <= 65_535)) throw new SettingFault('takes host:port');
  return { host: host.toLowerCase(), port };
};

export const cidr: Parse<string> = (value) => {
  try {
    parseCIDR(value);
  } catch (error) {
    throw new SettingFault('takes CIDRs such as 10.0.0.0/8', { cause: error });
  }
  return value;
};

const replicasMax = 100;

/** A URL behind it stands for all addresses that its name has. */
export const resolvedPrefix = 'dns+';

/** Service name to URL, or to the list of its replicas' URLs, as a JSON object. */
export const upstreams: Parse<Readonly<Record<string, readonly string[]>>> = (value) => {
  const members = jsonObject(value);
  const parsed: Record<string, readonly string[]> = {};
  for (const [service, given] of Object.entries(members)) {
    const addresses: unknown[] = Array.isArray(given) ? given : [given];
    if (addresses.length === 0 || addresses.length > replicasMax)
      throw new SettingFault(`${service} has no address, or more than ${replicasMax}`);
    parsed[service] = addresses.map((address) => {
      if (typeof address !== 'string') throw new SettingFault(`${service} is not a URL`);
      if (!address.startsWith(resolvedPrefix)) return url('http:', 'https:')(address).replace(/\/$/, '');
      return resolvedPrefix + url('http:')(address.slice(resolvedPrefix.length)).replace(/\/$/, '');
    });
  }
  return Object.freeze(parsed);
};

function jsonObject(value: string): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch (error) {
    throw new SettingFault('takes a JSON object', { cause: error });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new SettingFault('takes a JSON object');
  return parsed;
}

export interface MasterKey {
  readonly keyId: string;
  /** 32 bytes. */
  readonly secret: Buffer;
}

/** `<kid>:<base64 of 32 bytes>,...`; the first one is used for new values. Messages never repeat the text. */
export const secretKeys: Parse<readonly MasterKey[]> = (value) => {
  const keys = listOf((entry): MasterKey => {
    const match = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]{43}=?)$/.exec(entry);
    const secret = Buffer.from(match?.[2] ?? '', 'base64');
    if (match?.[1] === undefined || secret.length !== 32)
      throw new SettingFault('takes <kid>:<base64 of 32 bytes>,...');
    return { keyId: match[1], secret };
  }, 32)(value);
  if (keys.length === 0) throw new SettingFault('takes at least one key');
  if (new Set(keys.map(({ keyId }) => keyId)).size !== keys.length) throw new SettingFault('names a key id twice');
  return keys;
};

/** Base64 of 32 bytes. */
export const seed: Parse<Buffer> = (value) => {
  const bytes = Buffer.from(value, 'base64');
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(value) || bytes.length !== 32) throw new SettingFault('takes base64 of 32 bytes');
  return bytes;
};

export interface PublicKeyEntry {
  readonly issuer: string;
  /** 32 bytes. */
  readonly publicKey: Buffer;
}

/** `<service>:<base64 of 32 bytes>,...`; a service may have several, so that its seed can be changed. */
export const publicKeys: Parse<readonly PublicKeyEntry[]> = listOf((entry) => {
  const match = /^([a-z][a-z0-9-]{0,31}):([A-Za-z0-9+/_-]{43}=?)$/.exec(entry);
  if (match?.[1] === undefined) throw new SettingFault('takes <service>:<base64 of 32 bytes>,...');
  return { issuer: match[1], publicKey: Buffer.from(match[2] ?? '', 'base64') };
}, 100);
