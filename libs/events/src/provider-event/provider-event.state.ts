import { defineEvents, event, hash32, type EventOf, type JsonObject, type StreamKind } from '@aos/kernel';

/** What a provider's bridge handed over (rule E17). */
export interface ProviderEvent {
  /** Identity at the provider. */
  id: string;
  event_type: string;
  integration_id: string;
  occurred_at: string | null;
  event: JsonObject;
}

export const providerEvents = defineEvents({ ProviderEventReceived: event<{ received: ProviderEvent }>(1) });

export interface ProviderEventState {
  readonly isTaken: boolean;
}

/** One stream for each event of an integration: it is taken once, at any age. */
export const providerEventKind: StreamKind<ProviderEventState, EventOf<typeof providerEvents>> = {
  category: 'inbound',
  events: providerEvents,
  stateVersion: 1,
  initial: () => ({ isTaken: false }),
  evolve: () => ({ isTaken: true }),
};

export function providerEventStreamId(orgId: string, integrationId: string, id: string): string {
  return hash32([orgId, integrationId, id].map((part) => `${Buffer.byteLength(part)}:${part}`).join(';'));
}

/** Nothing when it was taken before. */
export function receiveProviderEvent(
  received: ProviderEvent,
  state: ProviderEventState,
): EventOf<typeof providerEvents>[] {
  return state.isTaken ? [] : [{ type: 'ProviderEventReceived', data: { received } }];
}
