import { defineEvents, event, type EventOf } from '@aos/kernel';

/** A key as it is stored: without its secret. The id is the hash of the secret. */
export type ApiKeyRecord = {
  id: string;
  org_id: string;
  name: string;
  key_prefix: string;
  principal_id: string;
  /** Role that caps the key below its principal (rule A27). */
  scope_role_id: string | null;
  /** Name of the built-in role that caps a key of the organization principal (rule A3). */
  org_role: string | null;
  expires_at: string | null;
  tags: Record<string, string>;
  created_at: string;
};

export const apiKeyEvents = defineEvents({
  KeyIssued: event<{ key: ApiKeyRecord }>(1),
  KeyRevoked: event<{ at: string }>(1),
});
export type ApiKeyEvent = EventOf<typeof apiKeyEvents>;
