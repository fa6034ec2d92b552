import { Metadata, status } from '@grpc/grpc-js';
import { convertToCommandError } from '@eventstore/db-client/dist/utils/CommandError.js';
import type { IncomingHttpHeaders } from 'node:http2';

/** What the client would make of the headers that a call ended with; null for a good end. No word is no good end. */
export function callError(said: IncomingHttpHeaders): Error | null {
  const code = said['grpc-status'] === undefined ? status.UNAVAILABLE : Number(said['grpc-status']);
  if (code === status.OK) return null;
  const details = String(said['grpc-message'] ?? `answered with HTTP ${said[':status'] ?? 'nothing'}`);
  const metadata = Metadata.fromHttp2Headers(said);
  return convertToCommandError(Object.assign(new Error(`${code}: ${details}`), { code, details, metadata }));
}
