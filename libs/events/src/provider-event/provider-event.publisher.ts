import type { Publisher } from '@aos/kernel';
import { providerEvents, type ProviderEvent } from './provider-event.state.js';

/** Events of connected providers, as they were handed over (rule E17). */
export const providerEventPublisher: Publisher = {
  prefix: 'inbound-',
  events: providerEvents,
  publishes: new Set(['ProviderEventReceived']),
  publish({ data }) {
    const { event_type, integration_id, occurred_at, event } = (data as { received: ProviderEvent }).received;
    return [
      {
        event_type,
        source_kind: 'integration',
        source_id: integration_id,
        event,
        routing: { provider: providerOf(event_type), integration_id },
        ...(occurred_at === null ? {} : { occurred_at }),
        reach: {},
      },
    ];
  },
};

export function providerOf(eventType: string): string {
  return eventType.slice(0, eventType.indexOf('.'));
}
