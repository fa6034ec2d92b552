import { Controller, Get } from '@nestjs/common';
import type { Identity } from '@aos/kernel';
import { Who } from '@aos/platform';
import { PermissionCatalog } from './catalog.js';

@Controller()
export class PermissionsController {
  constructor(private readonly catalog: PermissionCatalog) {}

  @Get('/v1/permissions')
  list(@Who() who: Identity) {
    return this.catalog.of(who);
  }
}
