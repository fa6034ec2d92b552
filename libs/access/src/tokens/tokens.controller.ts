import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { CreateToken } from './tokens.handlers.js';

@Controller()
export class TokensController {
  constructor(private readonly commands: CommandBus) {}

  @Post('/v1/tokens')
  @HttpCode(201)
  create(@Who() who: Identity, @Body() body: RequestBody<'createToken'>): Promise<Reply<'createToken'>> {
    return this.commands.execute(new CreateToken(who, body));
  }
}
