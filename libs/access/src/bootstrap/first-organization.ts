import { Injectable } from '@nestjs/common';
import { idPart } from '@aos/kernel';
import { AccessDecisions } from '../changes/access-decisions.js';
import { nameKind, nameStreamId } from '../names/name.state.js';
import { organizationKind } from '../organization/organization.state.js';

export const firstOrganizationName = 'first';
/** Stream of the claim that one process of all makes at the first start. */
export const firstOrganizationClaim = nameStreamId('', 'organization', firstOrganizationName);

/** The organization of the first start, for processes that only read. */
@Injectable()
export class FirstOrganization {
  constructor(private readonly decisions: AccessDecisions) {}

  /** Its id; null when there was no first start yet. */
  async id(): Promise<string | null> {
    const { holder } = (await this.decisions.load(nameKind, firstOrganizationClaim)).state;
    return holder?.resourceId ?? null;
  }

  /** Whether its Owner key is there: requests with it are let in from then on. */
  async isUsable(): Promise<boolean> {
    const orgId = await this.id();
    return orgId !== null && (await this.decisions.load(organizationKind, idPart(orgId))).state.firstKeyShown;
  }
}
