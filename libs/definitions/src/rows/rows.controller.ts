import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { Identity, JsonObject } from '@aos/kernel';
import { Who } from '@aos/platform';
import type { RowQuery, RowSearch } from '../row/row-reader.js';
import { DeleteRow, InsertRow, InsertRows, UpdateRow, UpsertRow, type UpsertedRow } from './rows.handlers.js';
import { GetRow, QueryRows, SearchRows } from './rows.queries.js';

@Controller()
export class RowsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('/v1/tables/:table_id/rows')
  @HttpCode(201)
  insert(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Body() body: { data: JsonObject },
  ): Promise<JsonObject> {
    return this.commands.execute(new InsertRow(who, tableId, body.data));
  }

  @Get('/v1/tables/:table_id/rows/:row_id')
  get(@Who() who: Identity, @Param('table_id') tableId: string, @Param('row_id') rowId: string): Promise<JsonObject> {
    return this.queries.execute(new GetRow(who, tableId, rowId));
  }

  @Patch('/v1/tables/:table_id/rows/:row_id')
  update(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Param('row_id') rowId: string,
    @Body() body: { data: JsonObject; version?: number },
  ): Promise<JsonObject> {
    return this.commands.execute(new UpdateRow(who, tableId, rowId, body));
  }

  @Delete('/v1/tables/:table_id/rows/:row_id')
  @HttpCode(204)
  delete(@Who() who: Identity, @Param('table_id') tableId: string, @Param('row_id') rowId: string): Promise<void> {
    return this.commands.execute(new DeleteRow(who, tableId, rowId));
  }

  /** The body may be left out. */
  @Post('/v1/tables/:table_id/query')
  @HttpCode(200)
  query(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Body() body: RowQuery | undefined,
  ): Promise<JsonObject> {
    return this.queries.execute(new QueryRows(who, tableId, body ?? {}));
  }

  @Post('/v1/tables/:table_id/search')
  @HttpCode(200)
  search(@Who() who: Identity, @Param('table_id') tableId: string, @Body() body: RowSearch): Promise<JsonObject> {
    return this.queries.execute(new SearchRows(who, tableId, body));
  }

  /** 201 for a new row, 200 for a merged one (rule R33). */
  @Post('/v1/tables/:table_id/upsert')
  async upsert(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Body() body: { data: JsonObject },
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UpsertedRow> {
    const answer = await this.commands.execute(new UpsertRow(who, tableId, body.data));
    reply.status(answer.created ? 201 : 200);
    return answer;
  }

  @Post('/v1/tables/:table_id/bulk')
  @HttpCode(201)
  insertMany(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Body() body: { rows: JsonObject[] },
  ): Promise<JsonObject> {
    return this.commands.execute(new InsertRows(who, tableId, body.rows));
  }
}
