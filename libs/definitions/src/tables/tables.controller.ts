import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import type { DesiredTable, NewTable } from '../table/table.state.js';
import { ChangeTable, CreateTable, DeleteTable } from './tables.handlers.js';
import { GetTable, GetTableStats, ListTables, type TableFilter } from './tables.queries.js';

@Controller()
export class TablesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('/v1/tables')
  @HttpCode(201)
  create(@Who() who: Identity, @Body() body: NewTable): Promise<JsonObject> {
    return this.commands.execute(new CreateTable(who, body));
  }

  @Get('/v1/tables')
  list(@Who() who: Identity, @ContractQuery() filter: TableFilter): Promise<JsonObject> {
    return this.queries.execute(new ListTables(who, filter));
  }

  @Get('/v1/tables/:table_id')
  get(@Who() who: Identity, @Param('table_id') tableId: string): Promise<JsonObject> {
    return this.queries.execute(new GetTable(who, tableId));
  }

  @Patch('/v1/tables/:table_id')
  change(@Who() who: Identity, @Param('table_id') tableId: string, @Body() body: DesiredTable): Promise<JsonObject> {
    return this.commands.execute(new ChangeTable(who, tableId, body));
  }

  @Delete('/v1/tables/:table_id')
  @HttpCode(204)
  delete(@Who() who: Identity, @Param('table_id') tableId: string): Promise<void> {
    return this.commands.execute(new DeleteTable(who, tableId));
  }

  @Get('/v1/tables/:table_id/stats')
  stats(@Who() who: Identity, @Param('table_id') tableId: string): Promise<JsonObject> {
    return this.queries.execute(new GetTableStats(who, tableId));
  }
}
