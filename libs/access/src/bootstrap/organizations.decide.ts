import type { OrganizationEvent } from '../organization/organization.events.js';
import type { OrganizationState } from '../organization/organization.state.js';

/** What an organization is created with; see `OrganizationCreated`. */
export type NewOrganization = Extract<OrganizationEvent, { type: 'OrganizationCreated' }>['data'];

/** Creates an organization; no event when it exists. */
export function createOrganization(created: NewOrganization, { organization }: OrganizationState): OrganizationEvent[] {
  return organization ? [] : [{ type: 'OrganizationCreated', data: created }];
}

/** Records that the first Owner key was shown or taken from the settings; no event when that is recorded. */
export function recordFirstKey(
  { keyId }: { keyId: string },
  { firstKeyShown }: OrganizationState,
): OrganizationEvent[] {
  return firstKeyShown ? [] : [{ type: 'FirstKeyShown', data: { key_id: keyId } }];
}
