import { Body, Controller, Get, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Reply, RequestBody } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { ReplaceReturnOrigins } from './origins.handlers.js';
import { ReturnOriginQueries } from './origins.queries.js';

@Controller()
export class ReturnOriginsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: ReturnOriginQueries,
  ) {}

  @Get('/v1/organization/oauth-return-origins')
  read(@Who() who: Identity): Promise<Reply<'getOAuthReturnOrigins'>> {
    return this.queries.read(who);
  }

  @Put('/v1/organization/oauth-return-origins')
  replace(
    @Who() who: Identity,
    @Body() body: RequestBody<'replaceOAuthReturnOrigins'>,
  ): Promise<Reply<'replaceOAuthReturnOrigins'>> {
    return this.commands.execute(new ReplaceReturnOrigins(who, body));
  }
}
