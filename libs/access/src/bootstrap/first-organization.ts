import { Injectable } from '@nestjs/common';
import { idPart } from '@aos/kernel';
import { AccessDecisions } from '../changes/access-decisions.js';
import { nameKind, nameStreamId } from '../names/name.state.js';
import { organizationKind } from '../organization/organization.state.js';

export const firstOrganizationName = 'first';
/** Stream of the claim of the first organization: exactly one process makes it, at the first start. */
export const firstOrganizationClaim = nameStreamId('', 'organization', firstOrganizationName);

/** Reads the organization of the first start, for processes that do not create it. */
@Injectable()
export class FirstOrganization {
  constructor(private readonly decisions: AccessDecisions) {}

  /** Id of the first organization; null before the first start. */
  async id(): Promise<string | null> {
    const { holder } = (await this.decisions.load(nameKind, firstOrganizationClaim)).state;
    return holder?.resourceId ?? null;
  }

  /** Whether the first Owner key was recorded as shown. Requests are accepted from then on. */
  async isUsable(): Promise<boolean> {
    const orgId = await this.id();
    return orgId !== null && (await this.decisions.load(organizationKind, idPart(orgId))).state.firstKeyShown;
  }
}
