import { Injectable } from '@nestjs/common';
import {
  Clock,
  Refusal,
  StoreUnavailable,
  badRequest,
  notFound,
  rfc3339,
  type Identity,
  type JsonObject,
} from '@aos/kernel';
import { OrganizationSalts } from '@aos/access/published';
import { actorOf } from '@aos/platform';
import { rowDecider } from '../row.decider.js';
import type { TableRecord } from '../table/table.state.js';
import { IdentityChange } from './identity-change.js';
import { changeOfIdentity, deliveredBefore, newRowParts, type RowCommand, type WantedRow } from './row.decide.js';
import type { RowRecord } from './row.events.js';
import { dataIssues } from './row.limits.js';
import { looksLikeRowId, slotId, slotIdOf } from './row.state.js';
import { RowReader } from './row-reader.js';
import { RowStreams } from './row-streams.js';

const foundAgainMax = 8;

/** The writer and the table of a row write; `deliveryId` is set when the command may come twice. */
export interface RowWriteContext {
  who: Identity;
  table: TableRecord;
  deliveryId: string | null;
}

/** Writes single rows. The caller looks the table up and checks that it is within reach. */
@Injectable()
export class TableRows {
  constructor(
    private readonly streams: RowStreams,
    private readonly reader: RowReader,
    private readonly moves: IdentityChange,
    private readonly salts: OrganizationSalts,
    private readonly clock: Clock,
  ) {}

  /** Refuses bad_request; already_exists {row_id}. */
  async insert(context: RowWriteContext, given: JsonObject): Promise<RowRecord> {
    const { table } = context;
    const parts = newRowParts(table, given, '/data');
    const command = { ...this.command(context), parts };
    const slot = await this.slotOf(table, parts.identity);
    const { row } = await this.streams.write(rowDecider.insertRow, slot, actorOf(context.who), command, {
      isNew: true,
    });
    if (!row) throw notFound('row'); // the first delivery made it, and it was deleted since
    return row;
  }

  /**
   * Merges data into a row; its identity may change when the new one is free.
   *
   * Takes    the version it must have; 0 and null skip the check.
   * Refuses  bad_request; not_found; version_conflict {current_version}; already_exists {row_id}.
   */
  async update(
    context: RowWriteContext,
    rowId: string,
    { data, version }: { data: JsonObject; version: number | null },
  ): Promise<RowRecord> {
    const { table } = context;
    const issues = dataIssues(table.wire.schema, data, 'part', '/data');
    if (issues.length > 0) throw badRequest(issues);
    return this.whereItIs(table, rowId, (slot) =>
      this.updateIn(context, slot, { rowId, version: version === 0 ? null : version }, data),
    );
  }

  /** Inserts, or merges into the live row of the same identity (rule R33). Refuses bad_request. */
  async upsert(context: RowWriteContext, given: JsonObject): Promise<{ row: RowRecord; created: boolean }> {
    const { table } = context;
    const { schema } = table.wire;
    const identity = given[schema.identity_column];
    const partial = dataIssues(schema, given, 'part', '/data');
    const path = `/data/${schema.identity_column}`;
    if (typeof identity !== 'string' && !partial.some((issue) => issue.path === path))
      partial.push({ path, message: 'is required' });
    if (partial.length > 0) throw badRequest(partial);
    const command = { ...this.command(context), form: table, given };
    const slot = await this.slotOf(table, identity as string);
    const { row, judged, events } = await this.streams.write(rowDecider.upsertRow, slot, actorOf(context.who), command);
    if (!row) throw notFound('row');
    const earlier = deliveredBefore(judged, context.deliveryId);
    return { row, created: earlier?.created ?? events.some(({ type }) => type === 'RowInserted') };
  }

  /** Refuses not_found. */
  async delete(context: RowWriteContext, rowId: string): Promise<void> {
    const command = { ...this.command(context), rowId };
    await this.whereItIs(
      context.table,
      rowId,
      (slot) => this.streams.write(rowDecider.deleteRow, slot, actorOf(context.who), command),
      context.deliveryId !== null,
    );
  }

  async slotOf(table: TableRecord, identity: string): Promise<string> {
    return slotId(await this.salts.of(table.org_id), table.id, identity);
  }

  private async updateIn(
    context: RowWriteContext,
    slot: string,
    wanted: WantedRow,
    given: JsonObject,
  ): Promise<RowRecord> {
    const { table } = context;
    const actor = actorOf(context.who);
    const command = { ...this.command(context), ...wanted, form: table, given };
    const { row, judged, events } = await this.streams.write(rowDecider.updateRow, slot, actor, command);
    const going = events.length === 0 ? changeOfIdentity(command, judged) : null;
    if (going) {
      const to = await this.slotOf(table, going.change.identity);
      return this.moves.move(actor, command, going.row, going.change, slot, to);
    }
    if (!row) throw notFound('row');
    return row;
  }

  /**
   * Acts on the stream that has the row now, and looks the row up again when it moved meanwhile. `told`: the command
   * has a delivery id, so its repeat may no longer find the row.
   */
  private async whereItIs<T>(
    table: TableRecord,
    rowId: string,
    act: (slot: string) => Promise<T>,
    told = false,
  ): Promise<T> {
    for (let attempt = 0; attempt < foundAgainMax; attempt += 1) {
      const found = await this.reader.row(table, rowId);
      if (!found && !(told && attempt === 0 && looksLikeRowId(rowId))) throw notFound('row');
      try {
        return await act(found?.slot ?? slotIdOf(rowId));
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'not_found') throw error;
      }
    }
    throw new StoreUnavailable(`row ${rowId} moves again and again`);
  }

  private command({ who, table, deliveryId }: RowWriteContext): RowCommand {
    return rowCommand(table, who.principalId, rfc3339(this.clock.now()), deliveryId);
  }
}

export function rowCommand(table: TableRecord, principalId: string, at: string, deliveryId: string | null): RowCommand {
  const visibility = table.visibility === 'private' ? 'private' : 'organization';
  return { principalId, at, deliveryId, table: { name: table.wire.name, visibility, owner_id: table.owner.id } };
}
