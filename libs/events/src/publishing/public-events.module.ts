import { Global, Module } from '@nestjs/common';
import { PublicEvents } from './public-events.js';
import { publishers } from './publishers.js';

/** What the log tells the outside, from every context's publishers. */
@Global()
@Module({ providers: [PublicEvents], exports: [PublicEvents] })
export class PublicEventsModule {
  constructor(events: PublicEvents) {
    events.register(...publishers);
  }
}
