import type { Publisher } from '@aos/kernel';
import { sessionPublisher } from './session.publisher.js';

/** The publishers of every context: a new kind of public event is a line here. */
export const publishers: readonly Publisher[] = [sessionPublisher];
