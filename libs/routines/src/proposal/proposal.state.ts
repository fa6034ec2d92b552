import { hash32, unreachable, type StreamKind } from '@aos/kernel';
import { proposalEvents, type ProposalEvent, type ProposalRecord } from './proposal.events.js';
import { closedMax } from './proposal.limits.js';

export interface ProposalState {
  /** Oldest first: all that wait, and the newest of the others. */
  readonly proposals: readonly ProposalRecord[];
}

/** The proposals to one person: one stream, so that their number is bounded by construction (rule TE19). */
export const proposalKind: StreamKind<ProposalState, ProposalEvent> = {
  category: 'proposal',
  events: proposalEvents,
  stateVersion: 1,
  snapshotEvery: 100,
  initial: () => ({ proposals: [] }),
  evolve({ proposals }, event) {
    const { proposal } = event.data;
    switch (event.type) {
      case 'RoutineProposed':
        return { proposals: kept([...proposals, proposal], proposal.created_at) };
      case 'ProposalApproved':
      case 'ProposalDismissed':
        return { proposals: proposals.map((known) => (known.id === proposal.id ? proposal : known)) };
      default:
        return unreachable(event);
    }
  },
};

/** Without the oldest of those that do not wait. */
function kept(proposals: readonly ProposalRecord[], now: string): readonly ProposalRecord[] {
  const closed = proposals.filter((proposal) => !isPending(proposal, now)).length;
  let surplus = closed - closedMax;
  if (surplus <= 0) return proposals;
  return proposals.filter((proposal) => {
    if (surplus === 0 || isPending(proposal, now)) return true;
    surplus -= 1;
    return false;
  });
}

export function isPending({ status, expires_at }: ProposalRecord, now: string): boolean {
  return status === 'pending' && Date.parse(expires_at) > Date.parse(now);
}

/** The stream of the proposals to a person. */
export function proposalsId(orgId: string, personId: string): string {
  return hash32(JSON.stringify([orgId, personId]));
}

/** A call that is repeated proposes the same thing. */
export function proposalId(orgId: string, deliveryId: string): string {
  return `rprop_${hash32(JSON.stringify([orgId, deliveryId]))}`;
}

/** The id of the one routine that a proposal makes. */
export function proposedRoutineId(id: string): string {
  return `rtn_${hash32(id)}`;
}
