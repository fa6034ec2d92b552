import { Refusal, notFound } from '@aos/kernel';
import type { AuthorizationFlow, ConnectionEvent, ConnectionRecord } from '../connection/connection.events.js';
import type { ConnectionState } from '../connection/connection.state.js';
import { managed, type Caller } from '../connection/reach.decide.js';
import { withOAuth } from '../tokens/refreshing.decide.js';

function refusedReceipt(): Refusal {
  return new Refusal('conflict', { reason: 'receipt' }, 'the receipt was used, is unknown or is too old; begin again');
}

/**
 * Begins a flow, and ends the one before.
 *
 * Refuses  not_found; permission_denied; conflict {reason: kind} for a connection of another kind.
 */
export function beginAuthorization(
  { flow, caller }: { flow: AuthorizationFlow; caller: Caller },
  state: ConnectionState,
): ConnectionEvent[] {
  const connection = managed(state.connection, caller);
  requireCodeKind(connection);
  const next = withOAuth(connection, { flow });
  return [{ type: 'AuthorizationBegun', data: { connection: next, flow_id: flow.id } }];
}

/** Refuses conflict {reason: kind} for a connection that no provider authorizes. */
export function requireCodeKind({ kind }: ConnectionRecord): void {
  if (kind === 'oauth2_authorization_code') return;
  throw new Refusal('conflict', { reason: 'kind' }, 'only an account of kind oauth2_authorization_code is authorized');
}

/** The flow while its browser is at the provider; null once it came back, ended or is too old. */
export function openFlow(
  { connection }: ConnectionState,
  { flowId, now }: { flowId: string; now: string },
): AuthorizationFlow | null {
  const flow = connection?.deleted_at === null ? connection.oauth?.flow : null;
  return flow?.id === flowId && flow.status === 'open' && flow.expires_at > now ? flow : null;
}

type Came = { flowId: string; now: string };

/**
 * The browser came back with a code, which is stored.
 *
 * Refuses  not_found for a flow that is not open.
 */
export function noteCode(
  { receiptHash, version, ...came }: Came & { receiptHash: string; version: number },
  state: ConnectionState,
): ConnectionEvent[] {
  const flow = openFlow(state, came);
  if (!state.connection || !flow) throw notFound();
  const next = withOAuth(state.connection, { flow: { ...flow, status: 'arrived', receipt_hash: receiptHash } });
  return [{ type: 'CodeArrived', data: { connection: { ...next, secret_version: version }, flow_id: flow.id } }];
}

/** The browser came back without a code that can be used. Refuses not_found for a flow that is not open. */
export function endFlow({ reason, ...came }: Came & { reason: string }, state: ConnectionState): ConnectionEvent[] {
  const flow = openFlow(state, came);
  if (!state.connection || !flow) throw notFound();
  const connection = withOAuth(state.connection, { flow: null });
  return [{ type: 'AuthorizationFailed', data: { connection, flow_id: flow.id, reason } }];
}

/**
 * Uses the code up, before the issuer is asked for tokens: a crash after it means to begin again.
 *
 * Takes    until when the issuer is asked: refreshes wait for it.
 * Refuses  not_found for another caller than the one who began; conflict {reason: receipt} for a receipt that was used,
 *          is of another flow or is too old.
 * Source   rule TE26.
 */
export function redeemCode(
  { receiptHash, caller, now, until }: { receiptHash: string; caller: Caller; now: string; until: string },
  state: ConnectionState,
): ConnectionEvent[] {
  const connection = managed(state.connection, caller);
  requireCodeKind(connection);
  const { oauth } = connection;
  const flow = oauth?.flow;
  if (!oauth || !flow) throw refusedReceipt();
  if (flow.begun_by !== caller.principalId) throw notFound('connection');
  if (flow.status !== 'arrived' || flow.receipt_hash !== receiptHash || flow.expires_at <= now) throw refusedReceipt();
  const attempt = oauth.attempt + 1;
  const redeemed: AuthorizationFlow = { ...flow, status: 'redeemed', attempt, expires_at: until };
  const next = withOAuth(connection, { attempt, refresh: null, flow: redeemed });
  return [{ type: 'CodeRedeemed', data: { connection: next, flow_id: flow.id, attempt } }];
}

/** The issuer gave no tokens for the code. Nothing once another flow began. */
export function failAuthorization(
  { flowId, reason }: { flowId: string; reason: string },
  { connection }: ConnectionState,
): ConnectionEvent[] {
  if (connection?.deleted_at !== null || connection.oauth?.flow?.id !== flowId) return [];
  const next = withOAuth(connection, { flow: null });
  return [{ type: 'AuthorizationFailed', data: { connection: next, flow_id: flowId, reason } }];
}
