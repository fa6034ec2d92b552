import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, RequestBody } from '@aos/contract';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { ChangeTable, CreateTable, DeleteTable } from './tables.handlers.js';
import { TableQueries } from './tables.queries.js';

@Controller()
export class TablesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: TableQueries,
  ) {}

  @Post('/v1/tables')
  @HttpCode(201)
  create(@Who() who: Identity, @Body() body: RequestBody<'createTable'>): Promise<Reply<'createTable'>> {
    return this.commands.execute(new CreateTable(who, { body }));
  }

  @Get('/v1/tables')
  list(@Who() who: Identity, @ContractQuery() filter: QueryOf<'listTables'>): Promise<Reply<'listTables'>> {
    return this.queries.list(who, filter);
  }

  @Get('/v1/tables/:table_id')
  get(@Who() who: Identity, @Param('table_id') tableId: string): Promise<Reply<'getTable'>> {
    return this.queries.get(who, tableId);
  }

  @Patch('/v1/tables/:table_id')
  change(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Body() body: RequestBody<'updateTable'>,
  ): Promise<Reply<'updateTable'>> {
    return this.commands.execute(new ChangeTable(who, { table_id: tableId, body }));
  }

  @Delete('/v1/tables/:table_id')
  @HttpCode(204)
  delete(@Who() who: Identity, @Param('table_id') tableId: string): Promise<void> {
    return this.commands.execute(new DeleteTable(who, { table_id: tableId }));
  }

  @Get('/v1/tables/:table_id/stats')
  stats(@Who() who: Identity, @Param('table_id') tableId: string): Promise<JsonObject> {
    return this.queries.stats(who, tableId);
  }
}
