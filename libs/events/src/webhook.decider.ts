import { decider } from '@aos/kernel';
import { webhookKind } from './webhook/webhook.state.js';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  redeliverWebhook,
  resealWebhook,
  rotateWebhook,
} from './webhooks/webhooks.decide.js';

/** All that can happen to a web hook. */
export const webhookDecider = decider(webhookKind, {
  createWebhook,
  changeWebhook,
  rotateWebhook,
  disableWebhook,
  enableWebhook,
  redeliverWebhook,
  deleteWebhook,
  resealWebhook,
});
