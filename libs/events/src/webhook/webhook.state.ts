import { unreachable, type StreamKind } from '@aos/kernel';
import { webhookEvents, type WebhookEvent, type WebhookRecord } from './webhook.events.js';

export interface WebhookState {
  /** Null before the first event. */
  readonly webhook: WebhookRecord | null;
  readonly isDeleted: boolean;
}

export const webhookKind: StreamKind<WebhookState, WebhookEvent> = {
  category: 'webhook',
  events: webhookEvents,
  stateVersion: 1,
  initial: () => ({ webhook: null, isDeleted: false }),
  evolve(_state, event) {
    switch (event.type) {
      case 'WebhookCreated':
      case 'WebhookChanged':
      case 'WebhookRotated':
      case 'WebhookDisabled':
      case 'WebhookEnabled':
      case 'WebhookRedelivered':
      case 'WebhookResealed':
        return { webhook: event.data.webhook, isDeleted: false };
      case 'WebhookDeleted':
        return { webhook: event.data.webhook, isDeleted: true };
      default:
        return unreachable(event);
    }
  },
};
