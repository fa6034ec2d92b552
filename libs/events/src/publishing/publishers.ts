import type { Publisher } from '@aos/kernel';
import { interactionPublisher } from '@aos/interactions/published';
import { providerEventPublisher } from '../inbound/provider-event.publisher.js';
import { emailPublisher } from '../mail/email.publisher.js';
import { sessionPublisher } from './session.publisher.js';

/** The publishers of every context: a new kind of public event is a line here. */
export const publishers: readonly Publisher[] = [emailPublisher, interactionPublisher, providerEventPublisher, sessionPublisher];
