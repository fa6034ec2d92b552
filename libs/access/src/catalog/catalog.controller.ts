import { Controller, Get } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { PermissionQueries } from './catalog.queries.js';

@Controller()
export class PermissionsController {
  constructor(private readonly queries: PermissionQueries) {}

  @Get('/v1/permissions')
  list(@Who() who: Identity): Promise<Reply<'listOrgPermissions'>> {
    return this.queries.list(who);
  }
}
