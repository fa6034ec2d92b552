import { Body, Controller, Get, Put } from '@nestjs/common';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { OrganizationContext, type ContextView } from './context.js';

@Controller()
export class OrganizationContextController {
  constructor(private readonly context: OrganizationContext) {}

  @Get('/v1/organization/context')
  read(@Who() who: Identity): Promise<ContextView> {
    return this.context.read(who.orgId);
  }

  @Put('/v1/organization/context')
  replace(@Who() who: Identity, @Body() body: { content: string }): Promise<ContextView> {
    return this.context.replace(who, body.content);
  }
}
