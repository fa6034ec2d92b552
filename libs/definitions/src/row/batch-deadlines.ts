import { Injectable, type OnModuleInit } from '@nestjs/common';
import { systemPrincipalId } from '@aos/access/published';
import { DueTimers, serviceActor } from '@aos/platform';
import { rowDecider } from '../row.decider.js';
import { batchDeadlineHandler } from './row.projection.js';
import { RowStreams } from './row-streams.js';

/** Releases a batch after its writer died: the batch's first row keeps the deadline and is settled here. */
@Injectable()
export class BatchDeadlines implements OnModuleInit {
  constructor(
    private readonly timers: DueTimers,
    private readonly streams: RowStreams,
  ) {}

  onModuleInit(): void {
    this.timers.register(batchDeadlineHandler, async ({ org_id: orgId, slot, batch_id: batchId }) => {
      const actor = serviceActor(String(orgId), systemPrincipalId(String(orgId)), String(batchId));
      await this.streams.write(rowDecider.settleStage, String(slot), actor, null);
    });
  }
}
