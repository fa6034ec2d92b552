import { defineEvents, event, type EventOf } from '@aos/kernel';

export const organizationEvents = defineEvents({
  /** `salt`: 32 random bytes in hex; ids derive from it, so it never changes. */
  OrganizationCreated: event<{ org_id: string; name: string; salt: string; created_at: string }>(1),
  ContextReplaced: event<{ content: string; updated_at: string }>(1),
  /** `principal_revision`: the revision of the `principal-` stream that the leaving or entry rests on. */
  OwnerEntered: event<{ principal_id: string; principal_revision: number }>(1),
  /** Also written for a key that acts as Owner, with revision 0, before the key is revoked. */
  OwnerLeft: event<{ principal_id: string; principal_revision: number }>(1),
  /** The first organization's Owner key exists and its operator has it: later starts make no key. */
  FirstKeyShown: event<{ key_id: string }>(1),
  /** An operator put the organization on a billing plan. */
  PlanChanged: event<{ plan: string; changed_at: string }>(1),
  /** The whole list of origins to which an authorization may lead back; empty: the flow is off. */
  ReturnOriginsReplaced: event<{ origins: string[]; replaced_at: string }>(1, {}, { since: 'organization' }),
});
export type OrganizationEvent = EventOf<typeof organizationEvents>;
