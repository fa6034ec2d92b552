import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Decisions, DueTimers, serviceActor } from '@aos/platform';
import { sessionDecider } from '../session.decider.js';
import { expiryHandler } from '../session/expiry-timers.projection.js';

/** Makes the end of a bounded session a fact when its time comes, so that its files go with it (rules S42, TE8). */
@Injectable()
export class SessionExpiry implements OnModuleInit {
  constructor(
    private readonly timers: DueTimers,
    private readonly decisions: Decisions,
  ) {}

  onModuleInit(): void {
    this.timers.register(expiryHandler, async (details, now) => {
      const sessionId = String(details.session_id);
      const actor = serviceActor(String(details.org_id), 'timer', `expiry-${sessionId}`);
      await this.decisions.decide(sessionDecider.expireSession, sessionId, actor, { now });
    });
  }
}
