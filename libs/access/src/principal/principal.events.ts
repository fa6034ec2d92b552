import { defineEvents, event, type EventOf, type JsonObject, type PrincipalKind } from '@aos/kernel';

/** What a principal is, without its roles. */
export type PrincipalRecord = {
  id: string;
  org_id: string;
  kind: PrincipalKind;
  name: string;
  description: string | null;
  email: string | null;
  owner_id: string | null;
  metadata: JsonObject | null;
  tags: Record<string, string>;
  created_at: string;
  updated_at: string;
};

export type RoleGrant = { assignment_id: string; role_id: string; granted_by: string; granted_at: string };

export const principalEvents = defineEvents({
  PrincipalCreated: event<{ principal: PrincipalRecord; grants: RoleGrant[] }>(1),
  PrincipalChanged: event<{ principal: PrincipalRecord; changed_fields: string[] }>(1),
  PrincipalDisabled: event<{ at: string }>(1),
  PrincipalEnabled: event<{ at: string }>(1),
  PrincipalDeleted: event<{ at: string }>(1),
  RoleAssigned: event<{ grant: RoleGrant }>(1),
  RoleUnassigned: event<{ assignment_id: string; role_id: string; at: string }>(1),
  /**
   * Changes only the revision. A writer that was about to take this Owner away holds an older revision and must read
   * again.
   */
  OwnershipAffirmed: event<{ at: string }>(1),
});
export type PrincipalEvent = EventOf<typeof principalEvents>;
