import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { QueryOf, Reply, RequestBody } from '@aos/contract';
import type { FastifyReply } from 'fastify';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { Forget, Remember } from '../commands/remembering.commands.js';
import { EraseMemory, PromoteMemory, RevertPromotion } from './memories.handlers.js';
import { MemoryQueries } from './memories.queries.js';

@Controller()
export class MemoriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: MemoryQueries,
  ) {}

  @Get('/v1/agents/:agent_id/memory')
  summary(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<Reply<'getAgentMemory'>> {
    return this.queries.summary(who, agentId);
  }

  @Get('/v1/agents/:agent_id/memory/entries')
  list(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @ContractQuery() filter: QueryOf<'listAgentMemoryEntries'>,
  ): Promise<Reply<'listAgentMemoryEntries'>> {
    return this.queries.list(who, agentId, filter);
  }

  @Get('/v1/agents/:agent_id/memory/changes')
  changes(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @ContractQuery() page: QueryOf<'listAgentMemoryChanges'>,
  ): Promise<Reply<'listAgentMemoryChanges'>> {
    return this.queries.changes(who, agentId, page);
  }

  @Get('/v1/agents/:agent_id/memory/entries/:memory_key')
  get(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Param('memory_key') key: string,
    @ContractQuery('user_id') userId: string | undefined,
  ): Promise<Reply<'getAgentMemoryEntry'>> {
    return this.queries.get(who, agentId, key, userId ?? '');
  }

  /** 201 for a new entry, 200 for a changed one. */
  @Put('/v1/agents/:agent_id/memory/entries/:memory_key')
  async save(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Param('memory_key') key: string,
    @Body() body: RequestBody<'saveAgentMemoryEntry'>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply<'saveAgentMemoryEntry'>> {
    const wanted = { agent_id: agentId, user_id: body.user_id ?? '', key, desired: body };
    const { entry, created } = await this.commands.execute(new Remember(who, wanted));
    reply.status(created ? 201 : 200);
    return entry;
  }

  @Delete('/v1/agents/:agent_id/memory/entries/:memory_key')
  @HttpCode(204)
  async delete(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Param('memory_key') key: string,
    @ContractQuery('user_id') userId: string | undefined,
  ): Promise<void> {
    await this.commands.execute(new Forget(who, { agent_id: agentId, user_id: userId ?? '', key }));
  }

  @Post('/v1/agents/:agent_id/memory/entries/:memory_key/promotion')
  @HttpCode(200)
  promote(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Param('memory_key') key: string,
    @Body() body: RequestBody<'promoteAgentMemoryEntry'>,
  ): Promise<Reply<'promoteAgentMemoryEntry'>> {
    return this.commands.execute(new PromoteMemory(who, { agent_id: agentId, key, body }));
  }

  @Delete('/v1/agents/:agent_id/memory/entries/:memory_key/promotion')
  @HttpCode(204)
  async revertPromotion(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Param('memory_key') key: string,
  ): Promise<void> {
    await this.commands.execute(new RevertPromotion(who, { agent_id: agentId, key }));
  }

  /** The whole partition of a person, by an administrator. */
  @Delete('/v1/agents/:agent_id/memory/partitions/:user_id')
  @HttpCode(200)
  erase(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Param('user_id') userId: string,
  ): Promise<Reply<'eraseAgentMemoryPartition'>> {
    return this.commands.execute(new EraseMemory(who, { agent_id: agentId, user_id: userId }));
  }
}
