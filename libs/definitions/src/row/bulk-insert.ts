import { Injectable } from '@nestjs/common';
import { Clock, Refusal, badRequest, rfc3339, type Identity, type JsonObject } from '@aos/kernel';
import { actorOf } from '@aos/platform';
import type { TableRecord } from '../table/table.state.js';
import { stageRow, type NewRowParts } from './row.decide.js';
import type { RowRecord } from './row.events.js';
import { bulkRowsMax } from './row.limits.js';
import { Staging } from './staging.js';
import { TableRows, newRowParts, rowCommand } from './table-rows.js';

/** Many new rows, all or none, for every reader. */
@Injectable()
export class BulkInsert {
  constructor(
    private readonly rows: TableRows,
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
    return this.staging.commit(
      actorOf(who),
      table.id,
      all.map((parts, index) => ({
        slot: slots[index] ?? '',
        isNew: true,
        decide: (mark, slot) => stageRow(command, parts, mark, slot),
      })),
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
