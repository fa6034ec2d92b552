import { collectionOf } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { BindingEvent } from './binding.events.js';
import { bindingKind, type BindingState } from './binding.state.js';

/** Bindings for lists; the record itself is read fresh. */
export const bindingsProjection: StreamProjection<BindingState, BindingEvent> = {
  name: 'messaging_bindings',
  version: 1,
  kind: bindingKind,
  rows({ state: { binding, deleted }, id, revision }) {
    const orgId = (binding ?? deleted)?.org_id;
    if (orgId === undefined) return [];
    const row = { collection: collectionOf(bindingsProjection), scope: [orgId], key: id, revision };
    if (!binding) return [{ ...row, doc: null, index: {} }];
    const created = `${binding.created_at} ${id}`;
    return [{ ...row, doc: {}, index: { agent: binding.agent_id, created } }];
  },
};
