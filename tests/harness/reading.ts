import type { Client } from './client.js';

/** Everything that an open stream has sent so far. */
export interface Reading {
  bytes: () => string;
  close: () => void;
}

/** Opens a stream and keeps what comes, as text. Throws when it does not open. */
export async function reading(api: Client, path: string): Promise<Reading> {
  const ending = new AbortController();
  const response = await fetch(api.url(path), { headers: api.headers(), signal: ending.signal });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  let bytes = '';
  void (async () => {
    for await (const chunk of response.body ?? []) bytes += Buffer.from(chunk as Uint8Array).toString('utf8');
  })().catch((error: unknown) => {
    if (!ending.signal.aborted) bytes += String(error);
  });
  return {
    bytes: () => bytes,
    close: () => {
      ending.abort();
    },
  };
}
