import { Injectable } from '@nestjs/common';
import { idPart } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { organizationKind } from '../organization/organization.state.js';

/** The background text that every agent of an organization receives. */
@Injectable()
export class OrganizationContext {
  constructor(private readonly decisions: Decisions) {}

  /** Empty when unset. */
  async textOf(orgId: string): Promise<string> {
    return (await this.decisions.load(organizationKind, idPart(orgId))).state.context?.content ?? '';
  }
}
