import { Injectable } from '@nestjs/common';
import { Clock, ReadStore, Refusal, rfc3339, collectionOf } from '@aos/kernel';
import { occurrencesProjection } from '../occurrence/occurrence.projection.js';
import type { RoutineRecord } from '../routine/routine.events.js';
import { openOccurrencesMax, runsPerHourMax } from '../routine/routine.limits.js';

const hourMs = 60 * 60 * 1000;

/** How many runs a routine has under way: bounds, as far as the lists have come. */
@Injectable()
export class OpenRuns {
  constructor(
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
  ) {}

  /** Refuses conflict {limit} when as many wait or are under way as may. */
  async require(routine: RoutineRecord): Promise<void> {
    if (await this.isFull(routine))
      throw new Refusal('conflict', { limit: openOccurrencesMax }, 'too many runs of this routine wait');
  }

  /** Why an event begins no run now; null when it does. */
  async refusal(routine: RoutineRecord): Promise<{ code: string; message: string } | null> {
    if (await this.isFull(routine))
      return { code: 'queue_full', message: `${openOccurrencesMax} runs of the routine wait already` };
    const since = rfc3339(this.clock.now() - hourMs);
    const matched = await this.count(
      routine,
      [
        { index: 'matched', eq: routine.id },
        { index: 'at', gte: since },
      ],
      runsPerHourMax,
    );
    return matched < runsPerHourMax
      ? null
      : { code: 'rate_limited', message: `events began ${runsPerHourMax} runs of the routine within an hour` };
  }

  private async isFull(routine: RoutineRecord): Promise<boolean> {
    return (await this.count(routine, [{ index: 'open', eq: routine.id }], openOccurrencesMax)) >= openOccurrencesMax;
  }

  private count(
    { org_id: orgId }: RoutineRecord,
    where: NonNullable<Parameters<ReadStore['count']>[0]['where']>,
    max: number,
  ): Promise<number> {
    return this.readStore.count({ collection: collectionOf(occurrencesProjection), scope: [orgId], where }, max);
  }
}
