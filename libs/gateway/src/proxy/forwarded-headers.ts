import type { IncomingHttpHeaders } from 'node:http';
import { closingFrameHeader, identityHeader } from '@aos/platform';

/** Of one connection only, or meant for the gateway alone. */
const notForwarded: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'origin',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-http-method-override',
  'x-real-ip',
  'x-request-id',
]);
const notAnswered: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
  closingFrameHeader,
]);

/** What a caller says to a service in a header of ours: the lease of a worker's job (rule TE5). */
const said: ReadonlySet<string> = new Set(['x-svc-lease-token']);

type Headers = Record<string, string | string[]>;

/**
 * What goes on to a service: the caller's headers without its credential, without anything that the fleet believes
 * (`X-Svc-*`, `X-Forwarded-*`) and without those of the connection; the request id and the signed identity in their
 * place (control S40).
 */
export function forwardedHeaders(
  headers: IncomingHttpHeaders,
  { requestId, identityToken }: { requestId: string; identityToken: string | null },
): Headers {
  const named = namedByConnection(headers.connection);
  const forwarded: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (
      value === undefined ||
      notForwarded.has(name) ||
      named.has(name) ||
      (name.startsWith('x-svc-') && !said.has(name)) ||
      name.startsWith('x-forwarded-')
    )
      continue;
    forwarded[name] = value;
  }
  forwarded['x-request-id'] = requestId;
  if (identityToken !== null) forwarded[identityHeader] = identityToken;
  return forwarded;
}

/** What comes back from a service, under what the gateway says itself. */
export function answeredHeaders(headers: IncomingHttpHeaders, own: Headers): Headers {
  const named = namedByConnection(headers.connection);
  const answered: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || notAnswered.has(name) || named.has(name)) continue;
    answered[name] = value;
  }
  const vary = [answered['vary'], own['vary']].flat().filter((value) => value !== undefined);
  return { ...answered, ...own, ...(vary.length > 0 ? { vary: [...new Set(vary)].join(', ') } : {}) };
}

function namedByConnection(connection: string | string[] | undefined): ReadonlySet<string> {
  return new Set(
    [connection ?? '']
      .flat()
      .join(',')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
}
