import { Injectable } from '@nestjs/common';
import { notFound } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import { rowDecider } from '../row.decider.js';
import { rewrittenRow, type RowChange, type RowCommand } from './row.decide.js';
import type { RowRecord } from './row.events.js';
import { RowStreams } from './row-streams.js';
import { Staging } from './staging.js';

/** A row that takes another identity goes to that identity's stream, keeping its id: a batch of two. */
@Injectable()
export class IdentityChange {
  constructor(
    private readonly staging: Staging,
    private readonly streams: RowStreams,
  ) {}

  /**
   * Takes    the row as it was judged, the change, and the streams it goes from and to.
   * Gives    the row after.
   * Refuses  already_exists {row_id} when the identity is taken; version_conflict when the row changed meanwhile.
   */
  async move(
    actor: Actor,
    command: RowCommand,
    row: RowRecord,
    change: RowChange,
    from: string,
    to: string,
  ): Promise<RowRecord> {
    const moved = rewrittenRow(command, row, change);
    if (!moved) throw notFound('row');
    const [arrived] = await this.staging.commit(
      actor,
      row.table_id,
      [
        {
          slot: to,
          stage: (mark, patience) =>
            this.streams.write(rowDecider.stageArrival, to, actor, { ...command, moved, mark }, { patience }),
        },
        {
          slot: from,
          stage: (mark, patience) =>
            this.streams.write(rowDecider.stageLeaving, from, actor, { judged: row, to, mark }, { patience }),
        },
      ],
      (_row, index) => index === 0,
    );
    if (!arrived) throw notFound('row');
    return arrived;
  }
}
