import type { Settings } from './load-settings.js';

/** Every address of this machine, as a host to listen on. */
const everywhere: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The origin under which callers reach the service: as it is set, else where this process listens (rule TE131). */
export function publicUrlOf({ publicUrl, host, port }: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string {
  if (publicUrl !== null) return publicUrl;
  const here = everywhere.has(host) ? '127.0.0.1' : host;
  return `http://${here.includes(':') ? `[${here}]` : here}:${port}`;
}

/** What a service of a fleet says at its start that gives callers addresses and was not given theirs; else null. */
export function publicUrlWarning(settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string | null {
  if (settings.publicUrl !== null) return null;
  return `SVC_PUBLIC_URL is not set: addresses that are given to callers, and the redirect address of OAuth, begin with ${publicUrlOf(settings)}, which leads to no gateway`;
}
