import { upcastRecorded } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import { proposalEvents, type ProposalEvent } from './proposal.events.js';

const actions: Readonly<Record<ProposalEvent['type'], string>> = {
  RoutineProposed: 'routine_proposal.created',
  ProposalApproved: 'routine_proposal.approved',
  ProposalDismissed: 'routine_proposal.dismissed',
};

/** The audit entries of proposals (control S34). The routine of an approval has its own. */
export const proposalAudit: AuditMapping = {
  prefix: 'proposal-',
  facts(event): AuditFact[] {
    const { type, data } = upcastRecorded(proposalEvents, event) as ProposalEvent;
    const { proposal } = data;
    const resource = { type: 'routine_proposal', id: proposal.id, name: proposal.payload.name ?? null };
    const changed = type === 'RoutineProposed' ? {} : { changedFields: ['status'] };
    return [{ action: actions[type], resource, ...changed, after: proposal }];
  },
};
