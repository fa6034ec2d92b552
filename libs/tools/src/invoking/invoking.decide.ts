import { Refusal, canonicalJson, sha256Hex, type JsonObject } from '@aos/kernel';
import type {
  InvocationEnd,
  InvocationEvent,
  InvocationOpening,
  InvokingCaller,
} from '../invocation/invocation.events.js';
import { runsMax } from '../invocation/invocation.limits.js';
import type { InvocationState } from '../invocation/invocation.state.js';

/** The digest that a repeat with the same `Idempotency-Key` must match. */
export function requestDigest(actionName: string, input: JsonObject): string {
  return sha256Hex(canonicalJson([actionName, input]));
}

export interface StartInvocation {
  opening: InvocationOpening;
  caller: InvokingCaller;
  input: JsonObject;
  digest: string;
}

/**
 * Begins a direct invocation: its delivery id is durable before anything leaves.
 *
 * Gives    nothing when the key was seen with the same request.
 * Refuses  idempotency_conflict {job_id} when it was seen with another one.
 * Source   rules G18, INV5.
 */
export function startInvocation(command: StartInvocation, { opening, digest }: InvocationState): InvocationEvent[] {
  if (!opening) return [{ type: 'InvocationStarted', data: { ...command } }];
  requireSameRequest(command.digest, { opening, digest });
  return [];
}

/** Refuses idempotency_conflict {job_id} for another request than the one that the key began. */
export function requireSameRequest(
  wanted: string,
  { opening, digest }: Pick<InvocationState, 'opening' | 'digest'>,
): void {
  if (digest !== wanted)
    throw new Refusal('idempotency_conflict', { job_id: opening?.job_id ?? '' }, 'the key began another request');
}

/**
 * Goes on with an invocation that lost its owner, under its delivery id; after too many of them it ends as failed.
 *
 * Takes    the run that was seen to be dead.
 * Gives    nothing when it is over, or another process took it.
 * Source   rule R24.
 */
export function takeInvocationOver(
  command: { deadRun: number; now: string },
  { opening, runs, end }: InvocationState,
): InvocationEvent[] {
  if (!opening || end || runs !== command.deadRun) return [];
  if (runs < runsMax) return [{ type: 'InvocationTakenOver', data: { run: runs + 1, at: command.now } }];
  const error = { code: 'interrupted', message: `the service ended ${runs} times before there was a result` };
  const given: InvocationEnd = {
    status: 'failed',
    error,
    output_summary: null,
    http_status: null,
    retry_count: runs - 1,
    secret_version: null,
    finished_at: command.now,
  };
  return [{ type: 'InvocationFinished', data: { end: given, output: null } }];
}

/** Records the result; the first one stands (invariant 26). */
export function finishInvocation(
  command: { end: InvocationEnd; output: JsonObject | null },
  { opening, end }: InvocationState,
): InvocationEvent[] {
  return opening && !end ? [{ type: 'InvocationFinished', data: { ...command } }] : [];
}
