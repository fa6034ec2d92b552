import { Injectable } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { PermissionCatalog } from './catalog.js';

@Injectable()
export class PermissionQueries {
  constructor(private readonly catalog: PermissionCatalog) {}

  list(who: Identity): Promise<Reply<'listOrgPermissions'>> {
    return this.catalog.of(who);
  }
}
