import { defineEvents, event, type EventOf, type TokenVerb } from '@aos/kernel';

/** A browser token as it is recorded: never its text, and the end user as a hash. */
export type TokenRecord = {
  id: string;
  org_id: string;
  /** Principal and key that issued it. */
  principal_id: string;
  api_key_id: string;
  verbs: TokenVerb[];
  /** Either these sessions, or the agent with the end user. */
  session_ids: string[] | null;
  agent_id: string | null;
  end_user: string | null;
  /** Null: all that the service lets in. */
  origins: string[] | null;
  expires_at: string;
  created_at: string;
};

export const tokenEvents = defineEvents({ TokenIssued: event<{ token: TokenRecord }>(1) });
export type TokenEvent = EventOf<typeof tokenEvents>;
