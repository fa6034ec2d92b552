import type { Publisher } from '@aos/kernel';
import { batchPublisher, memoryPublisher, rowPublisher } from '@aos/definitions/published';
import { interactionPublisher } from '@aos/interactions/published';
import { providerEventPublisher } from '../provider-event/provider-event.publisher.js';
import { emailPublisher } from '../email/email.publisher.js';
import { sessionPublisher } from './session.publisher.js';

/**
 * The publishers of every context: a new kind of public event is a line here. A context that imports this one
 * (routines) cannot be named.
 */
export const publishers: readonly Publisher[] = [
  batchPublisher,
  emailPublisher,
  interactionPublisher,
  memoryPublisher,
  providerEventPublisher,
  rowPublisher,
  sessionPublisher,
];
