import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import {
  CreateConnection,
  DeleteConnection,
  GrantConnection,
  RotateConnection,
  UpdateConnection,
} from './connections.commands.js';
import { ConnectionQueries } from './connections.queries.js';

@Controller()
export class ConnectionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: ConnectionQueries,
  ) {}

  @Get('/v1/connections')
  list(@Who() who: Identity, @ContractQuery() filter: QueryOf<'listConnections'>): Promise<Reply<'listConnections'>> {
    return this.queries.list(who, filter);
  }

  @Post('/v1/connections')
  @HttpCode(201)
  create(@Who() who: Identity, @Body() body: RequestBody<'createConnection'>): Promise<Reply<'createConnection'>> {
    return this.commands.execute(new CreateConnection(who, body));
  }

  @Get('/v1/connections/:connection_id')
  get(@Who() who: Identity, @Param('connection_id') id: string): Promise<Reply<'getConnection'>> {
    return this.queries.get(who, id);
  }

  @Patch('/v1/connections/:connection_id')
  update(
    @Who() who: Identity,
    @Param('connection_id') id: string,
    @Body() body: RequestBody<'updateConnection'>,
  ): Promise<Reply<'updateConnection'>> {
    return this.commands.execute(new UpdateConnection(who, { connection_id: id, body }));
  }

  @Delete('/v1/connections/:connection_id')
  @HttpCode(204)
  async delete(@Who() who: Identity, @Param('connection_id') id: string): Promise<void> {
    await this.commands.execute(new DeleteConnection(who, { connection_id: id }));
  }

  @Post('/v1/connections/:connection_id/rotate')
  @HttpCode(200)
  rotate(
    @Who() who: Identity,
    @Param('connection_id') id: string,
    @Body() body: { secret?: string; headers?: Record<string, string> } | undefined,
  ): Promise<Reply<'rotateConnection'>> {
    return this.commands.execute(new RotateConnection(who, { connection_id: id, body: body ?? {} }));
  }

  @Put('/v1/connections/:connection_id/grants')
  grant(
    @Who() who: Identity,
    @Param('connection_id') id: string,
    @Body() body: RequestBody<'replaceConnectionGrants'>,
  ): Promise<Reply<'replaceConnectionGrants'>> {
    return this.commands.execute(new GrantConnection(who, { connection_id: id, body }));
  }
}
