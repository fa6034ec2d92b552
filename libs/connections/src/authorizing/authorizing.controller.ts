import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import {
  AuthorizeConnection,
  CompleteAuthorization,
  ReceiveCallback,
  type CallbackQuery,
} from './authorizing.commands.js';

@Controller()
export class AuthorizingController {
  constructor(private readonly commands: CommandBus) {}

  @Post('/v1/connections/:connection_id/authorize')
  @HttpCode(200)
  authorize(
    @Who() who: Identity,
    @Param('connection_id') id: string,
    @Body() body: RequestBody<'authorizeConnection'>,
  ): Promise<Reply<'authorizeConnection'>> {
    return this.commands.execute(new AuthorizeConnection(who, { connection_id: id, body }));
  }

  @Post('/v1/connections/:connection_id/authorize/complete')
  @HttpCode(200)
  complete(
    @Who() who: Identity,
    @Param('connection_id') id: string,
    @Body() body: RequestBody<'completeConnectionAuthorization'>,
  ): Promise<Reply<'completeConnectionAuthorization'>> {
    return this.commands.execute(new CompleteAuthorization(who, { connection_id: id, body }));
  }

  /** Needs no key: the state stands for the flow. */
  @Get('/v1/oauth/callback')
  async callback(
    @ContractQuery() query: CallbackQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const location = await this.commands.execute(new ReceiveCallback(query, request.id));
    void reply.headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).code(303).send();
  }
}
