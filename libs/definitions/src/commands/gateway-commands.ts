import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StoreUnavailable, badRequest, notFound, type GatewayCommand, type Json, type JsonObject } from '@aos/kernel';
import { CommandHandlers } from '@aos/platform';
import { visibleAgent } from '../agents/agents.handlers.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { MemoryEntries } from '../memory/memory-entries.js';
import { memoryWire } from '../memory/memory.projection.js';
import { requireMemoryKey } from '../memory/memory-reader.js';
import type { DesiredMemory } from '../memory/memory.limits.js';
import { RowReader } from '../row/row-reader.js';
import { rowWire } from '../row/row.wire.js';
import { TableRows } from '../row/table-rows.js';
import { TableDirectory } from '../table/table-directory.js';
import { forgetCommand, rememberCommand } from './memory-commands.js';
import { deleteRowCommand, saveRowCommand } from './table-commands.js';

/** Carries out what other contexts ask of rows and memory. */
@Injectable()
export class GatewayCommands implements OnModuleInit {
  constructor(
    private readonly handlers: CommandHandlers,
    private readonly tables: TableDirectory,
    private readonly rows: TableRows,
    private readonly reader: RowReader,
    private readonly streams: DefinitionStreams,
    private readonly entries: MemoryEntries,
  ) {}

  onModuleInit(): void {
    this.handlers.register(saveRowCommand, (command) => this.saveRow(command));
    this.handlers.register(deleteRowCommand, (command) => this.deleteRow(command));
    this.handlers.register(rememberCommand, (command) => this.remember(command));
    this.handlers.register(forgetCommand, (command) => this.forget(command));
  }

  private async saveRow({ identity: who, payload, deliveryId }: GatewayCommand): Promise<JsonObject> {
    const table = await this.tables.visibleBy(who, text(payload, 'table'));
    const context = { who, table, deliveryId };
    const data = object(payload, 'data');
    if (payload.row_id === undefined) {
      const { row, created } = await this.rows.upsert(context, data);
      return { row: rowWire(row), created };
    }
    const version = typeof payload.version === 'number' ? payload.version : null;
    return {
      row: rowWire(await this.rows.update(context, text(payload, 'row_id'), { data, version })),
      created: false,
    };
  }

  private async deleteRow({ identity: who, payload, deliveryId }: GatewayCommand): Promise<JsonObject> {
    const table = await this.tables.visibleBy(who, text(payload, 'table'));
    const rowId =
      payload.row_id === undefined
        ? await this.rowOf(table, text(payload, 'identity'), deliveryId)
        : text(payload, 'row_id');
    await this.rows.delete({ who, table, deliveryId }, rowId);
    return { deleted: true, row_id: rowId };
  }

  /** The row of an identity; also the one that this very delivery has deleted. */
  private async rowOf(
    table: Parameters<RowReader['byIdentity']>[0],
    identity: string,
    deliveryId: string,
  ): Promise<string> {
    const row = await this.reader.byIdentity(table, identity);
    const rowId = row?.id ?? (await this.reader.deliveredTo(table, identity, deliveryId));
    if (rowId === null) throw notFound('row');
    return rowId;
  }

  private async remember({ identity: who, payload, deliveryId }: GatewayCommand): Promise<JsonObject> {
    const { id: agentId } = await visibleAgent(this.streams, who, text(payload, 'agent_id'));
    const desired = object(payload, 'desired') as unknown as DesiredMemory;
    const context = {
      who,
      agentId,
      userId: text(payload, 'user_id'),
      key: text(payload, 'key'),
      reason: 'remembered' as const,
      deliveryId,
    };
    const { entry, created } = await this.entries.save(context, desired);
    if (!entry) throw new StoreUnavailable('the entry was deleted in the same moment');
    return { entry: memoryWire(entry), created };
  }

  private async forget({ identity: who, payload, deliveryId }: GatewayCommand): Promise<JsonObject> {
    const { id: agentId } = await visibleAgent(this.streams, who, text(payload, 'agent_id'));
    const key = text(payload, 'key');
    requireMemoryKey(key);
    const forgotten = await this.entries.delete({
      who,
      agentId,
      userId: text(payload, 'user_id'),
      key,
      reason: 'remembered',
      deliveryId,
    });
    return { forgotten };
  }
}

function text(payload: JsonObject, member: string): string {
  const value: Json | undefined = payload[member];
  if (typeof value !== 'string') throw badRequest([{ path: `/${member}`, message: 'is not text' }]);
  return value;
}

function object(payload: JsonObject, member: string): JsonObject {
  const value: Json | undefined = payload[member];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest([{ path: `/${member}`, message: 'is not an object' }]);
  return value;
}
