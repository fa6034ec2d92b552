import { Body, Controller, Delete, Get, HttpCode, Param, Put, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import type { MemoryFilter } from '../memory/memory-reader.js';
import type { DesiredMemory } from '../memory/memory.limits.js';
import {
  DeleteMemory,
  EraseMemory,
  GetMemory,
  ListMemory,
  ListMemoryChanges,
  SaveMemory,
  SummarizeMemory,
} from './memories.handlers.js';

@Controller()
export class MemoriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('/v1/agents/:agent_id/memory')
  summary(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<JsonObject> {
    return this.queries.execute(new SummarizeMemory(who, agentId));
  }

  @Get('/v1/agents/:agent_id/memory/entries')
  list(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @ContractQuery() filter: MemoryFilter,
  ): Promise<JsonObject> {
    return this.queries.execute(new ListMemory(who, agentId, filter));
  }

  @Get('/v1/agents/:agent_id/memory/changes')
  changes(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @ContractQuery() page: { after?: string; limit?: number },
  ): Promise<JsonObject> {
    return this.queries.execute(new ListMemoryChanges(who, agentId, page));
  }

  @Get('/v1/agents/:agent_id/memory/entries/:memory_key')
  get(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Param('memory_key') key: string,
    @ContractQuery('user_id') userId: string | undefined,
  ): Promise<JsonObject> {
    return this.queries.execute(new GetMemory(who, agentId, key, userId ?? ''));
  }

  /** 201 for a new entry, 200 for a changed one. */
  @Put('/v1/agents/:agent_id/memory/entries/:memory_key')
  async save(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Param('memory_key') key: string,
    @Body() body: DesiredMemory,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JsonObject> {
    const { entry, created } = await this.commands.execute(new SaveMemory(who, agentId, key, body));
    reply.status(created ? 201 : 200);
    return entry;
  }

  @Delete('/v1/agents/:agent_id/memory/entries/:memory_key')
  @HttpCode(204)
  delete(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Param('memory_key') key: string,
    @ContractQuery('user_id') userId: string | undefined,
  ): Promise<void> {
    return this.commands.execute(new DeleteMemory(who, agentId, key, userId ?? ''));
  }

  /** The whole partition of a person, by an administrator. */
  @Delete('/v1/agents/:agent_id/memory/partitions/:user_id')
  @HttpCode(200)
  erase(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Param('user_id') userId: string,
  ): Promise<JsonObject> {
    return this.commands.execute(new EraseMemory(who, agentId, userId));
  }
}
