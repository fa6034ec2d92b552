import { Body, Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { DeleteBinding, SaveBinding } from './bindings.commands.js';
import { BindingQueries } from './bindings.queries.js';

@Controller()
export class BindingsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: BindingQueries,
  ) {}

  @Get('/v1/agents/:agent_id/messaging-bindings')
  list(@Who() who: Identity, @Param('agent_id') agentId: string): Promise<Reply<'listAgentMessagingBindings'>> {
    return this.queries.list(who, agentId);
  }

  @Put('/v1/agents/:agent_id/messaging-bindings')
  save(
    @Who() who: Identity,
    @Param('agent_id') agentId: string,
    @Body() body: RequestBody<'saveAgentMessagingBinding'>,
  ): Promise<Reply<'saveAgentMessagingBinding'>> {
    return this.commands.execute(new SaveBinding(who, { agent_id: agentId, body }));
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
