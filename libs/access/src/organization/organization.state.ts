import { unreachable, type StreamKind } from '@aos/kernel';
import { organizationEvents, type OrganizationEvent } from './organization.events.js';

export interface OrganizationState {
  readonly organization: {
    readonly org_id: string;
    readonly name: string;
    readonly salt: string;
    readonly created_at: string;
  } | null;
  readonly context: { readonly content: string; readonly updated_at: string } | null;
  /** Principals that count as Owners -> the revision that their entry rests on. Each of them is an active Owner. */
  readonly owners: ReadonlyMap<string, number>;
  /**
   * Principal -> revision of its last leaving; an entry at or below it is ignored. Also holds keys that acted as Owner,
   * from before they are revoked.
   */
  readonly leavings: ReadonlyMap<string, number>;
  readonly firstKeyShown: boolean;
  /** Billing plan. */
  readonly plan: string;
  /** Origins to which an authorization may lead back. */
  readonly returnOrigins: readonly string[];
}

/** Plan of organizations that were never put on another one. */
const defaultPlan = 'default';

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
    returnOrigins: [],
  }),
  evolve(state, { type, data }) {
    switch (type) {
      case 'OrganizationCreated':
        return {
          ...state,
          organization: { org_id: data.org_id, name: data.name, salt: data.salt, created_at: data.created_at },
        };
      case 'ContextReplaced':
        return { ...state, context: { content: data.content, updated_at: data.updated_at } };
      case 'OwnerEntered':
        return data.principal_revision > (state.leavings.get(data.principal_id) ?? -1)
          ? { ...state, owners: withHighest(state.owners, data.principal_id, data.principal_revision) }
          : state;
      case 'OwnerLeft': {
        const owners = new Map(state.owners);
        owners.delete(data.principal_id);
        return { ...state, owners, leavings: withHighest(state.leavings, data.principal_id, data.principal_revision) };
      }
      case 'FirstKeyShown':
        return { ...state, firstKeyShown: true };
      case 'PlanChanged':
        return { ...state, plan: data.plan };
      case 'ReturnOriginsReplaced':
        return { ...state, returnOrigins: data.origins };
      default:
        return unreachable(type);
    }
  },
};

/** The map with the revision at the id, unless it has a higher one there. */
function withHighest(map: ReadonlyMap<string, number>, id: string, revision: number): ReadonlyMap<string, number> {
  return new Map(map).set(id, Math.max(revision, map.get(id) ?? -1));
}
