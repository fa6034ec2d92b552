import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DueTimers } from '@aos/platform';
import { CallbackSender } from '../callbacks/callback-sender.js';
import { InteractionExpiry } from './interaction-expiry.js';
import { callbackHandler, expiryHandler } from '../interaction/timers.projection.js';

/** Expires interactions and sends callbacks when a timer is due (rules I26, I35). */
@Injectable()
export class InteractionTimers implements OnModuleInit {
  constructor(
    private readonly timers: DueTimers,
    private readonly expiry: InteractionExpiry,
    private readonly sender: CallbackSender,
  ) {}

  onModuleInit(): void {
    this.timers.register(expiryHandler, (details) =>
      this.expiry.expireNow(String(details.org_id), String(details.interaction_id)),
    );
    this.timers.register(callbackHandler, (details) =>
      this.sender.begin(String(details.org_id), String(details.interaction_id)),
    );
  }
}
