import type { Schema } from '@aos/contract';
import { withoutNulls } from '@aos/kernel';
import type { BindingRecord } from './binding.events.js';

/** The contract's `AgentMessagingBinding`. */
export function bindingWire(binding: BindingRecord): Schema<'AgentMessagingBinding'> {
  const { org_id: _org, created_by: _by, updated_by: _last, model_route, compaction_policy, ...shown } = binding;
  return {
    ...shown,
    channels: [...shown.channels],
    sender_allow: [...shown.sender_allow],
    ...withoutNulls({ model_route, compaction_policy }),
  };
}
