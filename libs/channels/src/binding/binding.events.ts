import type { Schema } from '@aos/contract';
import { defineEvents, event, type EventOf } from '@aos/kernel';

export type BindingProvider = Schema<'AgentMessagingBinding'>['provider'];

/** A binding as it stands. `channels` empty: all. */
export type BindingRecord = {
  id: string;
  org_id: string;
  agent_id: string;
  provider: BindingProvider;
  /** Connection of the account. */
  integration_id: string;
  enabled: boolean;
  dms: boolean;
  mentions: boolean;
  all_messages: boolean;
  channels: string[];
  dm_policy: Schema<'AgentMessagingBinding'>['dm_policy'];
  sender_allow: string[];
  reply_mode: 'auto';
  model_route: Schema<'AgentModelRoute'> | null;
  compaction_policy: Schema<'SessionCompactionPolicy'> | null;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
};

/**
 * All events of an account's binding; one stream `channel-<id>`. The id follows from the account, so that an account
 * has one binding by construction.
 */
export const bindingEvents = defineEvents({
  BindingSaved: event<{ binding: BindingRecord }>(1, {}, { since: 'messaging' }),
  BindingDeleted: event<{ binding: BindingRecord }>(1, {}, { since: 'messaging' }),
});

export type BindingEvent = EventOf<typeof bindingEvents>;
