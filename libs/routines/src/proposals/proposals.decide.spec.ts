import { given } from '@aos/kernel/testing';
import type { ProposalEvent, ProposalRecord } from '../proposal/proposal.events.js';
import { closedMax, pendingMax, pendingMs } from '../proposal/proposal.limits.js';
import { proposalKind } from '../proposal/proposal.state.js';
import { statusOf } from '../proposal/proposal.wire.js';
import type { RoutineRecord } from '../routine/routine.events.js';
import { approveProposal, dismissProposal, proposeRoutine } from './proposals.decide.js';

const startMs = Date.parse('2026-01-01T00:00:00.000Z');
const at = (afterMs: number): string => new Date(startMs + afterMs).toISOString();
const proposal = (id: string, afterMs = 0): ProposalRecord => ({
  id,
  org_id: 'org_1',
  session_id: 'ses_1',
  agent_id: 'agent_1',
  proposed_to: 'user_1',
  status: 'pending',
  reason: null,
  payload: {
    agent_id: 'agent_1',
    instructions: 'Do',
    per_occurrence_ceiling_milli: 0,
    daily_ceiling_milli: 0,
    schedule: { interval: '1h' },
  },
  routine: null,
  created_at: at(afterMs),
  expires_at: at(afterMs + pendingMs),
  closed_at: null,
});
const made = (id: string, afterMs = 0): ProposalEvent => ({
  type: 'RoutineProposed',
  data: { proposal: proposal(id, afterMs) },
});
const routine = (id: string): RoutineRecord => ({ id }) as RoutineRecord;
const many = (count: number): ProposalEvent[] => Array.from({ length: count }, (_none, index) => made(`p${index}`));

describe('TE19: proposals', () => {
  it('are made once for each call', () => {
    given(proposalKind)
      .when((state) => proposeRoutine({ proposal: proposal('p1') }, state))
      .thenEvents(made('p1'));
    given(proposalKind, made('p1'))
      .when((state) => proposeRoutine({ proposal: proposal('p1', 5) }, state))
      .thenNothing();
  });

  it('20 wait at most; what expired does not count', () => {
    given(proposalKind, ...many(pendingMax))
      .when((state) => proposeRoutine({ proposal: proposal('more', 1) }, state))
      .thenRefuses('conflict', { limit: pendingMax });
    given(proposalKind, ...many(pendingMax))
      .when((state) => proposeRoutine({ proposal: proposal('more', pendingMs) }, state))
      .thenTypes('RoutineProposed');
  });

  it('an approval keeps its first routine', () => {
    given(proposalKind, made('p1'))
      .when((state) => approveProposal({ id: 'p1', routine: routine('rtn_1'), now: at(1) }, state))
      .thenState(({ proposals }) => {
        expect(proposals).toMatchObject([{ status: 'approved', routine: { id: 'rtn_1' }, closed_at: at(1) }]);
      });
    const approved = given(proposalKind, made('p1'), {
      type: 'ProposalApproved',
      data: { proposal: { ...proposal('p1'), status: 'approved', routine: routine('rtn_1') } },
    });
    approved.when((state) => approveProposal({ id: 'p1', routine: routine('rtn_2'), now: at(2) }, state)).thenNothing();
    approved.when((state) => dismissProposal({ id: 'p1', now: at(2) }, state)).thenNothing();
  });

  it('what is dismissed or expired is not approved', () => {
    const dismissed = given(proposalKind, made('p1'), {
      type: 'ProposalDismissed',
      data: { proposal: { ...proposal('p1'), status: 'dismissed' } },
    });
    dismissed
      .when((state) => approveProposal({ id: 'p1', routine: null, now: at(1) }, state))
      .thenRefuses('conflict', { status: 'dismissed' });
    const waiting = given(proposalKind, made('p1'));
    waiting
      .when((state) => approveProposal({ id: 'p1', routine: routine('rtn_1'), now: at(pendingMs) }, state))
      .thenRefuses('conflict', { status: 'expired' });
    waiting.when((state) => dismissProposal({ id: 'p1', now: at(pendingMs) }, state)).thenNothing();
    waiting.when((state) => dismissProposal({ id: 'p1', now: at(1) }, state)).thenTypes('ProposalDismissed');
    waiting
      .when((state) => approveProposal({ id: 'p2', routine: routine('rtn_1'), now: at(1) }, state))
      .thenRefuses('not_found');
    expect(statusOf(proposal('p1'), at(pendingMs))).toBe('expired');
  });

  it('of the others the newest are kept, and none that waits goes', () => {
    const spacing = pendingMs / 19;
    const past = Array.from({ length: closedMax + 50 }, (_none, index) => made(`p${index}`, index * spacing));
    const { proposals } = given(proposalKind, ...past).state();
    expect(proposals).toHaveLength(closedMax + 19);
    expect(proposals.at(-1)?.id).toBe(`p${closedMax + 49}`);
    expect(proposals[0]?.id).toBe('p31');
  });
});
