import { Injectable } from '@nestjs/common';
import { idPart } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { organizationKind } from '../organization/organization.state.js';

/** Origins to which an organization lets an authorization lead back (rule TE18). */
@Injectable()
export class ReturnOrigins {
  constructor(private readonly decisions: Decisions) {}

  /** As browsers write origins; empty: the authorization code flow is off. Throws `StoreUnavailable`. */
  async of(orgId: string): Promise<readonly string[]> {
    return (await this.decisions.load(organizationKind, idPart(orgId))).state.returnOrigins;
  }
}
