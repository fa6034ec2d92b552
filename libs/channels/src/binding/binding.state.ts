import { hash32, unreachable, type StreamKind } from '@aos/kernel';
import { bindingEvents, type BindingEvent, type BindingProvider, type BindingRecord } from './binding.events.js';

export interface BindingState {
  /** Null before the first event and after a deletion. */
  readonly binding: BindingRecord | null;
  /** The binding that was deleted last; lists need its organization. */
  readonly deleted: BindingRecord | null;
}

export const bindingKind: StreamKind<BindingState, BindingEvent> = {
  category: 'channel',
  events: bindingEvents,
  stateVersion: 1,
  initial: () => ({ binding: null, deleted: null }),
  evolve(_state, event) {
    switch (event.type) {
      case 'BindingSaved':
        return { binding: event.data.binding, deleted: null };
      case 'BindingDeleted':
        return { binding: null, deleted: event.data.binding };
      default:
        return unreachable(event);
    }
  },
};

/**
 * The id of an account's binding. The account of `email` is the agent's inbox, so that agents may share a connection
 * (rule TE12).
 */
export function bindingId(
  orgId: string,
  account: { provider: BindingProvider; integration_id: string; agent_id: string },
): string {
  const { provider, integration_id, agent_id } = account;
  const parts = [orgId, provider, provider === 'email' ? agent_id : integration_id];
  return `chan_${hash32(JSON.stringify(parts))}`;
}

/** What a connection must be to be an account of a provider. */
export function connectionKindOf(provider: BindingProvider): 'smtp' | 'channel_webhook' {
  return provider === 'email' ? 'smtp' : 'channel_webhook';
}
