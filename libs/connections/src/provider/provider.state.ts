import { hash32, type StreamKind } from '@aos/kernel';
import { providerEvents, type ProviderEvent, type ProviderRecord } from './provider.events.js';

export interface ProviderState {
  /** Null before the first event. */
  readonly provider: ProviderRecord | null;
}

export const providerKind: StreamKind<ProviderState, ProviderEvent> = {
  category: 'provider',
  events: providerEvents,
  stateVersion: 1,
  initial: () => ({ provider: null }),
  evolve: (_state, event) => ({ provider: event.data.provider }),
};

/** The id of an organization's provider of this name: there is one. */
export function providerId(orgId: string, name: string): string {
  return `prov_${hash32(JSON.stringify([orgId, name]))}`;
}
