import type { Settings } from './load-settings.js';

/** Every address of this machine, as a host to listen on. */
const everywhere: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The origin under which callers reach the service: as it is set, else where this process listens (rule TE131). */
export function publicUrlOf({ publicUrl, host, port }: Pick<Settings, 'publicUrl' | 'host' | 'port'>): string {
  if (publicUrl !== null) return publicUrl;
  const here = everywhere.has(host) ? '127.0.0.1' : host;
  return `http://${here.includes(':') ? `[${here}]` : here}:${port}`;
}
