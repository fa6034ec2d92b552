import { Body, Controller, Get, Headers, Param, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { InvocationQueries, type InvocationFilter } from '../records/invocations.queries.js';
import { InvokeAction, type InvokeActionBody } from './invoking.commands.js';

@Controller()
export class InvokingController {
  constructor(
    private readonly commands: CommandBus,
    private readonly invocations: InvocationQueries,
  ) {}

  /**
   * 200 when it is over, 202 while it goes on. The execute permission is asked for by the handler, which knows the
   * action.
   */
  @Post('/v1/actions/:action_name/invoke')
  async invoke(
    @Who() who: Identity,
    @Param('action_name') name: string,
    @Body() body: InvokeActionBody,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<JsonObject> {
    const answer = await this.commands.execute(
      new InvokeAction(who, { action_name: name, body, key: key?.trim() || null }),
    );
    reply.code(answer.isOver ? 200 : 202);
    return answer.body;
  }

  @Get('/v1/action-invocations')
  list(@Who() who: Identity, @ContractQuery() filter: InvocationFilter): Promise<JsonObject> {
    return this.invocations.list(who, filter);
  }
}
