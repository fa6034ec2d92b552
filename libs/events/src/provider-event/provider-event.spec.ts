import { given } from '@aos/kernel/testing';
import { providerEventKind, receiveProviderEvent, type ProviderEvent } from './provider-event.state.js';

const received: ProviderEvent = {
  id: 'evt_1',
  event_type: 'ticket.created',
  integration_id: 'intg_1',
  occurred_at: null,
  event: { ticket: 7 },
};

it('a provider event is taken once', () => {
  given(providerEventKind)
    .when((state) => receiveProviderEvent(received, state))
    .thenEvents({ type: 'ProviderEventReceived', data: { received } });
  given(providerEventKind, { type: 'ProviderEventReceived', data: { received } })
    .when((state) => receiveProviderEvent(received, state))
    .thenNothing();
});
