import { Refusal, type BrowserToken } from '@aos/kernel';
import type { Operation } from '../contract/contract.js';
import type { QueryValues } from '../contract/validators.js';
import { wantsStream } from './wants-stream.js';

/** Refuses a page of another origin; what is no page sends no origin (rule A39). */
export function requireTokenOrigin({ origins }: BrowserToken, origin: string | undefined): void {
  if (origin === undefined || !origins || origins.includes(origin)) return;
  throw new Refusal('permission_denied', {}, 'the token is not for pages of this origin');
}

/**
 * Whether a token may do an operation: denied unless the contract names a verb for it that the token has.
 *
 * Takes    the operation, the token, and the request's `Accept`: a stream as the answer of a POST is read as well.
 * Refuses  permission_denied {permission, verb}.
 * Source   rule A38.
 */
export function requireTokenVerb(
  operation: Operation,
  { verbs, reach }: BrowserToken,
  accept: string | undefined,
): void {
  const { tokenVerb: verb, needsEndUser, isEventStream, method } = operation;
  if (verb === null || !verbs.has(verb)) throw denied(operation, verb);
  if (needsEndUser && !('endUser' in reach)) throw denied(operation, verb);
  if (isEventStream && method !== 'GET' && wantsStream(accept) && !verbs.has('read')) throw denied(operation, 'read');
}

/** Refuses a list that the request does not narrow to a session. */
export function requireTokenQuery(operation: Operation, query: QueryValues): void {
  const { tokenQuery, tokenVerb } = operation;
  if (tokenQuery !== null && query[tokenQuery] === undefined) throw denied(operation, tokenVerb);
}

function denied({ permission }: Operation, verb: string | null): Refusal {
  return new Refusal(
    'permission_denied',
    { permission: permission ?? '', ...(verb !== null && { verb }) },
    'the token may not do this',
  );
}
