import { Refusal, notFound } from '@aos/kernel';
import type { ProposalEvent, ProposalRecord } from '../proposal/proposal.events.js';
import { pendingMax } from '../proposal/proposal.limits.js';
import { isPending, type ProposalState } from '../proposal/proposal.state.js';
import { statusOf } from '../proposal/proposal.wire.js';
import type { RoutineRecord } from '../routine/routine.events.js';

/**
 * Proposes a routine to the person of this stream.
 *
 * Gives    nothing for a call that is repeated.
 * Refuses  conflict {limit} while 20 proposals wait for that person.
 * Source   rule TE19.
 */
export function proposeRoutine(
  { proposal }: { proposal: ProposalRecord },
  { proposals }: ProposalState,
): ProposalEvent[] {
  if (proposals.some(({ id }) => id === proposal.id)) return [];
  if (proposals.filter((known) => isPending(known, proposal.created_at)).length >= pendingMax)
    throw new Refusal('conflict', { limit: pendingMax }, 'as many proposals as may wait for this person');
  return [{ type: 'RoutineProposed', data: { proposal } }];
}

/**
 * Approves a proposal. The routine is written with the approval, and made after it.
 *
 * Gives    nothing when it was approved before: its first routine stands.
 * Refuses  not_found; conflict {status} for one that was dismissed or has expired.
 * Source   rule TE19.
 */
export function approveProposal(
  { id, routine, now }: { id: string; routine: RoutineRecord | null; now: string },
  state: ProposalState,
): ProposalEvent[] {
  const known = proposalOf(state, id);
  if (known.status === 'approved') return [];
  const status = statusOf(known, now);
  if (status !== 'pending' || !routine)
    throw new Refusal('conflict', { status }, 'only a proposal that waits can be approved');
  return [{ type: 'ProposalApproved', data: { proposal: { ...known, status: 'approved', routine, closed_at: now } } }];
}

/** Dismisses a proposal. Gives nothing for one that is closed or has expired. Refuses not_found. */
export function dismissProposal({ id, now }: { id: string; now: string }, state: ProposalState): ProposalEvent[] {
  const known = proposalOf(state, id);
  if (!isPending(known, now)) return [];
  return [{ type: 'ProposalDismissed', data: { proposal: { ...known, status: 'dismissed', closed_at: now } } }];
}

/** Refuses not_found. */
export function proposalOf({ proposals }: ProposalState, id: string): ProposalRecord {
  const known = proposals.find((proposal) => proposal.id === id);
  if (!known) throw notFound('proposal');
  return known;
}
