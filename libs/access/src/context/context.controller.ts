import { Body, Controller, Get, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { RequestBody, Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { ReplaceContext } from './context.handlers.js';
import { ContextQueries } from './context.queries.js';

@Controller()
export class OrganizationContextController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: ContextQueries,
  ) {}

  @Get('/v1/organization/context')
  read(@Who() who: Identity): Promise<Schema<'OrgContext'>> {
    return this.queries.read(who);
  }

  @Put('/v1/organization/context')
  replace(@Who() who: Identity, @Body() body: RequestBody<'replaceOrgContext'>): Promise<Schema<'OrgContext'>> {
    return this.commands.execute(new ReplaceContext(who, body));
  }
}
