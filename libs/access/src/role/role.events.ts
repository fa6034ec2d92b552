import { defineEvents, event, type EventOf } from '@aos/kernel';

/** The whole role; every event carries it, so that the last one is the current state. */
export type RoleRecord = {
  id: string;
  org_id: string;
  name: string;
  description: string | null;
  permissions: string[];
  system_defined: boolean;
  tags: Record<string, string>;
  created_at: string;
  updated_at: string;
};

export const roleEvents = defineEvents({
  RoleCreated: event<{ role: RoleRecord }>(1),
  RoleChanged: event<{ role: RoleRecord; changed_fields: string[] }>(1),
  RoleDeleted: event<{ role: RoleRecord }>(1),
});
export type RoleEvent = EventOf<typeof roleEvents>;
