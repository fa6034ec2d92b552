import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock, GenerationalCache, messageOf } from '@aos/kernel';
import { DueTimers } from '@aos/platform';
import { followUpHandler } from '@aos/definitions/published';
import { CustodyFollowUps } from './custody-follow-ups.js';

/** How long an agent is left alone after a step that failed, and for how many agents that is remembered. */
const restMs = 10_000;
const restsMax = 1_000;

/** Takes up what a process left that died: one agent at a time, beside the other timers (rule TE11). */
@Injectable()
export class FollowUpTimers implements OnModuleInit, OnApplicationShutdown {
  private readonly log = new Logger('ownership');
  private readonly rests = new GenerationalCache<number>(restsMax);
  private step: Promise<void> | null = null;
  private closed = false;

  constructor(
    private readonly timers: DueTimers,
    private readonly followUps: CustodyFollowUps,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timers.register(followUpHandler, ({ org_id: orgId, agent_id: agentId }) => {
      const isResting = this.clock.monotonic() < (this.rests.get(String(agentId)) ?? 0);
      if (this.step === null && !isResting && !this.closed)
        this.step = this.take(String(orgId), String(agentId)).finally(() => {
          this.step = null;
        });
      return Promise.resolve();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    await this.step;
  }

  private async take(orgId: string, agentId: string): Promise<void> {
    try {
      await this.followUps.carryOut(orgId, agentId);
    } catch (error) {
      this.rests.set(agentId, this.clock.monotonic() + restMs);
      this.log.warn(`${agentId}: ${messageOf(error)}`);
    }
  }
}
