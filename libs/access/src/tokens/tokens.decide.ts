import { badRequest, invalidArgument, requireWholeCharacters } from '@aos/kernel';
import type { TokenEvent, TokenRecord } from '../token/token.events.js';
import type { TokenState } from '../token/token.state.js';

/** Issues a token; no event when it exists. */
export function issueToken({ token }: { token: TokenRecord }, state: TokenState): TokenEvent[] {
  return state.token ? [] : [{ type: 'TokenIssued', data: { token } }];
}

/** The part of a request that says which sessions a token reaches. */
export interface AskedReach {
  session_ids?: readonly string[];
  agent_id?: string;
  end_user?: string;
}

/**
 * The reach that a request asks for.
 *
 * Refuses  bad_request for both ways of naming sessions, and for half of one; invalid_argument {reason: half_character}
 *          for an end user whose name is no Unicode text (ADR 62).
 * Source   rule A37.
 */
export function askedReach({
  session_ids: sessionIds,
  agent_id: agentId,
  end_user: endUser,
}: AskedReach): { sessionIds: readonly string[] } | { agentId: string; endUser: string } {
  if (sessionIds) {
    const other = agentId === undefined ? (endUser === undefined ? null : 'end_user') : 'agent_id';
    if (other !== null) throw badRequest([{ path: `/${other}`, message: 'does not go with session_ids' }]);
    return { sessionIds: [...new Set(sessionIds)] };
  }
  if (agentId === undefined) throw badRequest([{ path: '/agent_id', message: 'or session_ids is required' }]);
  if (endUser === undefined) throw badRequest([{ path: '/end_user', message: 'is required with agent_id' }]);
  requireWholeCharacters('end_user', endUser);
  return { agentId, endUser };
}

/**
 * Refuses  invalid_argument {argument: origins} for an origin that the service does not let in.
 */
export function checkOrigins(asked: readonly string[] | undefined, allowed: readonly string[]): void {
  if (asked?.some((origin) => !allowed.includes(origin)))
    throw invalidArgument('origins', 'each must be one of those that SVC_CORS_ORIGINS names');
}
