import { expectGoldenStates, goldenOf } from '@aos/kernel/testing';
import { proposalAudit } from './proposal.audit.js';
import { proposalId, proposalKind, proposalsId, proposedRoutineId } from './proposal.state.js';
import { proposalWire } from './proposal.wire.js';

const golden = goldenOf(__dirname, proposalKind);

describe('recorded events of proposals', () => {
  it('are all kept, at every version', () => {
    expect(golden.missing).toEqual([]);
  });

  it('say what they meant', () => {
    const shown = (now: string, ...types: Parameters<typeof golden.after>) =>
      golden.after(...types).proposals.map((proposal) => proposalWire(proposal, now));
    expect(shown('2026-01-02T00:00:00.000Z', 'RoutineProposed')).toMatchObject([
      { id: 'rprop_00000000000000000000000001', status: 'pending', payload: { instructions: 'Look at the board.' } },
    ]);
    expect(shown('2026-01-08T00:00:00.000Z', 'RoutineProposed')).toMatchObject([{ status: 'expired' }]);
    expect(shown('2026-01-08T00:00:00.000Z', 'RoutineProposed', 'ProposalApproved')).toMatchObject([
      { status: 'approved', routine_id: 'rtn_00000000000000000000000001' },
    ]);
    const [dismissed] = shown('2026-01-02T00:00:00.000Z', 'RoutineProposed', 'ProposalDismissed');
    expect(dismissed).toMatchObject({ status: 'dismissed' });
    for (const absent of ['routine_id', 'routine', 'org_id', 'closed_at']) expect(dismissed).not.toHaveProperty(absent);
  });

  it('fold to the states that snapshots of this version hold', () => {
    const history = (['RoutineProposed', 'ProposalApproved', 'ProposalDismissed'] as const).map((type) => [
      golden.recorded(type),
    ]);
    expectGoldenStates(__dirname, proposalKind, history);
  });

  it('stand in the audit', () => {
    const { type, data } = golden.recorded('ProposalApproved');
    const event = { type, data, meta: {}, schemaVersion: 1 } as unknown as Parameters<typeof proposalAudit.facts>[0];
    expect(proposalAudit.facts(event, null)).toMatchObject([
      { action: 'routine_proposal.approved', resource: { id: 'rprop_00000000000000000000000001', name: 'Daily look' } },
    ]);
  });

  it('TE19: the routine of a proposal and the proposal of a call have one id', () => {
    expect(proposedRoutineId('rprop_a')).toBe(proposedRoutineId('rprop_a'));
    expect(proposedRoutineId('rprop_a')).toMatch(/^rtn_[0-9a-z]{20,}$/);
    const ids = [
      proposalId('org_1', 'd1'),
      proposalId('org_2', 'd1'),
      proposalId('org_1', 'd2'),
      proposalsId('org_1', 'user_1'),
      proposalsId('org_2', 'user_1'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
