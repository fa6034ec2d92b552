import { Body, Controller, Delete, Get, HttpCode, Param, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who, warn } from '@aos/platform';
import { ModelWarningQueries } from '@aos/definitions/published';
import { DeleteBinding, SaveBinding } from './bindings.commands.js';
import { BindingQueries } from './bindings.queries.js';

@Controller()
export class BindingsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: BindingQueries,
    private readonly warnings: ModelWarningQueries,
  ) {}

  @Get('/v1/agents/:agent_id/messaging-bindings')
  list(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<Reply<'listAgentMessagingBindings'>> {
    return this.queries.list(who, agentId);
  }

  @Put('/v1/agents/:agent_id/messaging-bindings')
  async save(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Body() body: RequestBody<'saveAgentMessagingBinding'>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply<'saveAgentMessagingBinding'>> {
    const saved = await this.commands.execute(new SaveBinding(who, { agent_id: agentId, body }));
    warn(reply, this.warnings.ofPolicy(body.compaction_policy));
    return saved;
  }

  @Delete('/v1/agents/:agent_id/messaging-bindings/:binding_id')
  @HttpCode(204)
  async delete(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Param('binding_id') bindingId: string,
  ): Promise<void> {
    await this.commands.execute(new DeleteBinding(who, { agent_id: agentId, binding_id: bindingId }));
  }
}
