import { Injectable } from '@nestjs/common';
import { Clock, Refusal, badRequest, rfc3339, type Identity, type JsonObject } from '@aos/kernel';
import { actorOf } from '@aos/platform';
import type { TableRecord } from '../table/table.state.js';
import { rowDecider } from '../row.decider.js';
import { newRowParts, type NewRowParts } from './row.decide.js';
import type { RowRecord } from './row.events.js';
import { bulkRowsMax } from './row.limits.js';
import { RowStreams } from './row-streams.js';
import { Staging } from './staging.js';
import { TableRows, rowCommand } from './table-rows.js';

/** Many new rows, all or none, for every reader. */
@Injectable()
export class BulkInsert {
  constructor(
    private readonly rows: TableRows,
    private readonly streams: RowStreams,
    private readonly staging: Staging,
    private readonly clock: Clock,
  ) {}

  /**
   * Gives    the rows in the order of the request.
   * Refuses  bad_request; already_exists {row_id}, or {index, identity} for the second of a pair within the request.
   * Source   rules L14, R31.
   */
  async insert(who: Identity, table: TableRecord, given: readonly JsonObject[]): Promise<RowRecord[]> {
    if (given.length < 1 || given.length > bulkRowsMax)
      throw badRequest([{ path: '/rows', message: `1 to ${bulkRowsMax} rows` }]);
    const all = given.map((data, index) => newRowParts(table, data, `/rows/${index}`));
    requireDistinct(all);
    const command = rowCommand(table, who.principalId, rfc3339(this.clock.now()), null);
    const slots = await Promise.all(all.map(({ identity }) => this.rows.slotOf(table, identity)));
    const actor = actorOf(who);
    return this.staging.commit(
      actor,
      table.id,
      all.map((parts, index) => {
        const slot = slots[index] ?? '';
        return {
          slot,
          stage: (mark, patience) =>
            this.streams.write(
              rowDecider.stageRow,
              slot,
              actor,
              { ...command, parts, mark },
              { patience, isNew: true }, // most likely nothing was ever written there
            ),
        };
      }),
    );
  }
}

function requireDistinct(all: readonly NewRowParts[]): void {
  const seen = new Set<string>();
  for (const [index, { identity }] of all.entries()) {
    if (seen.has(identity))
      throw new Refusal('already_exists', { index, identity }, 'two rows of the request have this identity');
    seen.add(identity);
  }
}
