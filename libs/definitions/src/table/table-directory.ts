import { Injectable } from '@nestjs/common';
import { notFound, type Identity } from '@aos/kernel';
import { canSee } from '../definition/custody.decide.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { Claims } from '../names/claims.js';
import { tableKind, type TableRecord } from './table.state.js';

/** How a command names a table: a path by its id, an agent by its name or id. */
export type TableRef = { table_id: string } | { table: string };

/** Tables, read fresh from their streams. */
@Injectable()
export class TableDirectory {
  constructor(
    private readonly streams: DefinitionStreams,
    private readonly claims: Claims,
  ) {}

  /** The live table; null when the id is unknown, deleted or of another organization. */
  async table(orgId: string, tableId: string): Promise<TableRecord | null> {
    const latest = await this.streams.latest(tableKind, orgId, tableId);
    return latest && latest.record.deleted_at === null ? latest.record : null;
  }

  /** The live table of this name; null when there is none. */
  async tableByName(orgId: string, name: string): Promise<TableRecord | null> {
    return (await this.claims.named(tableKind, orgId, name))?.record ?? null;
  }

  /** Whether a table is within a caller's reach, one that is deleted too: for what is published of it. */
  async canSee(who: Identity, tableId: string): Promise<boolean> {
    const latest = await this.streams.latest(tableKind, who.orgId, tableId);
    return latest !== null && canSee(latest.record, who);
  }

  /** The live table within a caller's reach, or 404. */
  async visible(who: Identity, tableId: string): Promise<TableRecord> {
    return this.streams.visible(tableKind, who, tableId);
  }

  /** As `visible`, for the table that a command names. */
  referred(who: Identity, ref: TableRef): Promise<TableRecord> {
    return 'table_id' in ref ? this.visible(who, ref.table_id) : this.visibleBy(who, ref.table);
  }

  /** As `visible`, by id or by name. */
  async visibleBy(who: Identity, nameOrId: string): Promise<TableRecord> {
    const byId = nameOrId.startsWith('tbl_') ? await this.table(who.orgId, nameOrId) : null;
    const table = byId ?? (await this.tableByName(who.orgId, nameOrId));
    if (!table || !canSee(table, who)) throw notFound('table');
    return table;
  }
}
