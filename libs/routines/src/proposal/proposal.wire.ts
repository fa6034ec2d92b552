import type { Schema } from '@aos/contract';
import { withoutNulls } from '@aos/kernel';
import type { ProposalRecord } from './proposal.events.js';
import { isPending } from './proposal.state.js';

/** What a reader is shown as status: a proposal that waits too long has expired. */
export function statusOf(proposal: ProposalRecord, now: string): Schema<'RoutineProposal'>['status'] {
  return proposal.status === 'pending' && !isPending(proposal, now) ? 'expired' : proposal.status;
}

/** The contract's `RoutineProposal`. */
export function proposalWire(proposal: ProposalRecord, now: string): Schema<'RoutineProposal'> {
  const { id, session_id, agent_id, proposed_to, payload, reason, routine, created_at, expires_at } = proposal;
  return {
    id,
    session_id,
    agent_id,
    proposed_to,
    status: statusOf(proposal, now),
    created_at,
    expires_at,
    payload: { ...payload },
    ...withoutNulls({ routine_id: routine?.id ?? null, reason }),
  };
}
