import { Complaint, usageComplaint } from '../console/complaint.js';
import type { Io } from '../console/io.js';
import { profilesPath, readProfiles, type Profile } from './profiles.js';

export const defaultUrl = 'http://127.0.0.1:8080';

/** Options that every command takes. */
export type ConnectionOptions = { url?: string; profile?: string };

/** Which service is meant and with which key, and where each was found: errors say it. */
export type Connection = {
  url: string;
  urlFrom: '--url' | 'SVC_URL' | 'profile' | 'default';
  key: string | null;
  keyFrom: 'SVC_KEY' | 'profile' | null;
  profile: string;
};

/**
 * Finds service and key: `--url`, then `SVC_URL`, then the profile; `SVC_KEY`, then the profile. A profile's key goes
 * to the profile's own address only.
 *
 * Refuses  a profile that is named and not there, and an address that is none.
 */
export function findConnection({ url, profile }: ConnectionOptions, { env }: Io): Connection {
  const path = profilesPath(env);
  const { current, profiles } = readProfiles(path);
  const name = profile ?? current;
  const found = profiles[name];
  if (profile !== undefined && !found)
    throw usageComplaint(`${path} has no profile ${profile}`, `svc login --profile ${profile}`);
  const address = addressFrom(url, env.SVC_URL, found);
  const given = (env.SVC_KEY ?? '').trim();
  const isOwn = found?.key !== undefined && sameAddress(found.url, address.url);
  const key = given !== '' ? given : isOwn ? (found.key ?? null) : null;
  return { ...address, key, keyFrom: given !== '' ? 'SVC_KEY' : key === null ? null : 'profile', profile: name };
}

function addressFrom(
  option: string | undefined,
  variable: string | undefined,
  profile: Profile | undefined,
): Pick<Connection, 'url' | 'urlFrom'> {
  if (option !== undefined) return { url: checkedUrl(option, '--url'), urlFrom: '--url' };
  if ((variable ?? '').trim() !== '')
    return { url: checkedUrl((variable ?? '').trim(), 'SVC_URL'), urlFrom: 'SVC_URL' };
  if (profile) return { url: checkedUrl(profile.url, 'the profile'), urlFrom: 'profile' };
  return { url: defaultUrl, urlFrom: 'default' };
}

/** The address without what comes after its path. Refuses one that is none of HTTP, or has a key or password in it. */
export function checkedUrl(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw usageComplaint(`${from} is no address of a service: ${text}`, `An address looks like ${defaultUrl}`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw usageComplaint(
      `${from} has more than an address in it`,
      'A key goes into SVC_KEY or svc login, never into a URL',
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function sameAddress(one: string, other: string): boolean {
  return URL.canParse(one) && checkedUrl(one, 'the profile') === other;
}

/** The key, or what to do to have one. */
export function requireKey({ key, url, profile }: Connection): string {
  if (key !== null) return key;
  throw new Complaint(`no API key for ${url}`, [
    `svc login --url ${url}`,
    `or set SVC_KEY (the profile ${profile} has no key for this address)`,
  ]);
}
