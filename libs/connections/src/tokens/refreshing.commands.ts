import { CallerCommand, Routed } from '@aos/platform';

const input = {
  type: 'object',
  required: ['connection_id', 'stale'],
  properties: { connection_id: { type: 'string' }, stale: { type: 'integer', minimum: 0 } },
  additionalProperties: false,
};

/**
 * ready                there is an access token of a later try than `stale`.
 * failed               the token endpoint gave none; the next call tries again.
 * needs_authorization  the owner authorizes anew, or rotates.
 * gone                 there is no such connection.
 */
export type RefreshOutcome = 'ready' | 'failed' | 'needs_authorization' | 'gone';

/** Has an access token fetched where the one of try `stale` (0: none) serves no more. */
@Routed('connections.refresh', { stream: 'connection', input, callers: 'system' })
export class RefreshConnection extends CallerCommand<
  { connection_id: string; stale: number },
  { outcome: RefreshOutcome }
> {}
