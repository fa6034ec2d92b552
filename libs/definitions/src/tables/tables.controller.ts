import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, RequestBody } from '@aos/contract';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { ChangeDefinition, CreateDefinition, DeleteDefinition } from '../resources/definitions.commands.js';
import { DefinitionQueries } from '../resources/definitions.queries.js';
import { tableResource } from '../resources/table-resource.js';
import { TableQueries } from './tables.queries.js';

@Controller()
export class TablesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: DefinitionQueries,
    private readonly tables: TableQueries,
  ) {}

  @Post('/v1/tables')
  @HttpCode(201)
  create(@Who() who: Identity, @Body() body: RequestBody<'createTable'>): Promise<Reply<'createTable'>> {
    return this.commands.execute(new CreateDefinition(who, { resource: tableResource, body }));
  }

  @Get('/v1/tables')
  list(@Who() who: Identity, @ContractQuery() filter: QueryOf<'listTables'>): Promise<Reply<'listTables'>> {
    return this.queries.list(tableResource, who, filter);
  }

  @Get('/v1/tables/:table_id')
  get(@Who() who: Identity, @Param('table_id') tableId: string): Promise<Reply<'getTable'>> {
    return this.queries.get(tableResource, who, tableId);
  }

  @Patch('/v1/tables/:table_id')
  change(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Body() body: RequestBody<'updateTable'>,
  ): Promise<Reply<'updateTable'>> {
    return this.commands.execute(new ChangeDefinition(who, { resource: tableResource, ref: tableId, body }));
  }

  @Delete('/v1/tables/:table_id')
  @HttpCode(204)
  delete(@Who() who: Identity, @Param('table_id') tableId: string): Promise<void> {
    return this.commands.execute(new DeleteDefinition(who, { resource: tableResource, ref: tableId }));
  }

  @Get('/v1/tables/:table_id/stats')
  stats(@Who() who: Identity, @Param('table_id') tableId: string): Promise<JsonObject> {
    return this.tables.stats(who, tableId);
  }
}
