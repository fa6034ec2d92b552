import type { RequestBody } from '@aos/contract';
import { defineEvents, event, type EventOf } from '@aos/kernel';
import type { RoutineRecord } from '../routine/routine.events.js';

/** A proposal as it stands. One that is pending past `expires_at` is expired. */
export type ProposalRecord = {
  id: string;
  org_id: string;
  session_id: string;
  /** The agent that proposes. */
  agent_id: string;
  /** The person who decides. */
  proposed_to: string;
  status: 'pending' | 'approved' | 'dismissed';
  reason: string | null;
  /** The contract's `RoutineCreateRequest`. */
  payload: RequestBody<'createRoutine'>;
  /** The routine that an approval makes: written with the approval, so that a repeat makes no other one. */
  routine: RoutineRecord | null;
  created_at: string;
  expires_at: string;
  closed_at: string | null;
};

/** All events of the proposals to one person; one stream `proposal-<hash of organization and person>`. */
export const proposalEvents = defineEvents({
  RoutineProposed: event<{ proposal: ProposalRecord }>(1, {}, { since: 'routines' }),
  ProposalApproved: event<{ proposal: ProposalRecord }>(1, {}, { since: 'routines' }),
  ProposalDismissed: event<{ proposal: ProposalRecord }>(1, {}, { since: 'routines' }),
});

export type ProposalEvent = EventOf<typeof proposalEvents>;
