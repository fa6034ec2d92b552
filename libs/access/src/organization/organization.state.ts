import { unreachable, type StreamKind } from '@aos/kernel';
import { organizationEvents, type OrganizationEvent } from './organization.events.js';

export interface OrganizationState {
  organization: { org_id: string; name: string; salt: string; created_at: string } | null;
  context: { content: string; updated_at: string } | null;
  /** Principals that count as Owners -> the revision their entry rests on. Never holds somebody who is gone. */
  owners: Map<string, number>;
  /**
   * Principal -> revision of its last leaving; an entry at or below it is ignored. Keys that acted as Owner are among
   * them before they are revoked.
   */
  leavings: Map<string, number>;
  firstKeyShown: boolean;
  /** Billing plan. */
  plan: string;
}

/** Plan of organizations that no operator put on another one. */
export const defaultPlan = 'default';

export const organizationKind: StreamKind<OrganizationState, OrganizationEvent> = {
  category: 'org',
  events: organizationEvents,
  stateVersion: 1,
  initial: () => ({
    organization: null,
    context: null,
    owners: new Map(),
    leavings: new Map(),
    firstKeyShown: false,
    plan: defaultPlan,
  }),
  evolve(state, { type, data }) {
    switch (type) {
      case 'OrganizationCreated':
        state.organization = { org_id: data.org_id, name: data.name, salt: data.salt, created_at: data.created_at };
        return state;
      case 'ContextReplaced':
        state.context = { content: data.content, updated_at: data.updated_at };
        return state;
      case 'OwnerEntered':
        if (data.principal_revision > (state.leavings.get(data.principal_id) ?? -1)) {
          state.owners.set(
            data.principal_id,
            Math.max(data.principal_revision, state.owners.get(data.principal_id) ?? -1),
          );
        }
        return state;
      case 'OwnerLeft':
        state.owners.delete(data.principal_id);
        state.leavings.set(
          data.principal_id,
          Math.max(data.principal_revision, state.leavings.get(data.principal_id) ?? -1),
        );
        return state;
      case 'FirstKeyShown':
        state.firstKeyShown = true;
        return state;
      case 'PlanChanged':
        state.plan = data.plan;
        return state;
      default:
        return unreachable(type);
    }
  },
};
