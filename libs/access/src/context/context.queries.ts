import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import { idPart, type Identity } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { organizationKind } from '../organization/organization.state.js';
import { contextView } from './context.wire.js';

@Injectable()
export class ContextQueries {
  constructor(private readonly decisions: Decisions) {}

  async read({ orgId }: Identity): Promise<Schema<'OrgContext'>> {
    return contextView((await this.decisions.load(organizationKind, idPart(orgId))).state);
  }
}
