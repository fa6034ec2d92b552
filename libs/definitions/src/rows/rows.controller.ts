import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import type { FastifyReply } from 'fastify';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { DeleteTableRow, SaveTableRow } from '../commands/saved-rows.commands.js';
import { InsertRow, InsertRows } from './rows.handlers.js';
import { RowQueries } from './rows.queries.js';

@Controller()
export class RowsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: RowQueries,
  ) {}

  @Post('/v1/tables/:table_id/rows')
  @HttpCode(201)
  insert(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Body() body: RequestBody<'createTableRow'>,
  ): Promise<Reply<'createTableRow'>> {
    return this.commands.execute(new InsertRow(who, { table_id: tableId, body }));
  }

  @Get('/v1/tables/:table_id/rows/:row_id')
  get(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Param('row_id') rowId: string,
  ): Promise<Reply<'getTableRow'>> {
    return this.queries.get(who, tableId, rowId);
  }

  @Patch('/v1/tables/:table_id/rows/:row_id')
  async update(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Param('row_id') rowId: string,
    @Body() body: RequestBody<'updateTableRow'>,
  ): Promise<Reply<'updateTableRow'>> {
    const wanted = { table_id: tableId, row_id: rowId, data: body.data, version: body.version };
    return (await this.commands.execute(new SaveTableRow(who, wanted))).row;
  }

  @Delete('/v1/tables/:table_id/rows/:row_id')
  @HttpCode(204)
  async delete(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Param('row_id') rowId: string,
  ): Promise<void> {
    await this.commands.execute(new DeleteTableRow(who, { table_id: tableId, row_id: rowId }));
  }

  /** The body may be left out. */
  @Post('/v1/tables/:table_id/query')
  @HttpCode(200)
  query(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Body() body: RequestBody<'queryTableRows'> | undefined,
  ): Promise<Reply<'queryTableRows'>> {
    return this.queries.query(who, tableId, body ?? {});
  }

  @Post('/v1/tables/:table_id/search')
  @HttpCode(200)
  search(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Body() body: RequestBody<'searchTableRows'>,
  ): Promise<Reply<'searchTableRows'>> {
    return this.queries.search(who, tableId, body);
  }

  /** 201 for a new row, 200 for a merged one (rule R33). */
  @Post('/v1/tables/:table_id/upsert')
  async upsert(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Body() body: RequestBody<'upsertTableRow'>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply<'upsertTableRow'>> {
    const answer = await this.commands.execute(new SaveTableRow(who, { table_id: tableId, data: body.data }));
    reply.status(answer.created ? 201 : 200);
    return answer;
  }

  @Post('/v1/tables/:table_id/bulk')
  @HttpCode(201)
  insertMany(
    @Who() who: Identity,
    @Param('table_id') tableId: string,
    @Body() body: RequestBody<'bulkCreateTableRows'>,
  ): Promise<Reply<'bulkCreateTableRows'>> {
    return this.commands.execute(new InsertRows(who, { table_id: tableId, body }));
  }
}
