import { decider } from '@aos/kernel';
import { createOrganization, recordFirstKey } from './bootstrap/organizations.decide.js';
import { replaceContext } from './context/context.decide.js';
import { organizationKind } from './organization/organization.state.js';
import { enterOwners, leaveOwnerKeys, leaveOwners } from './organization/owners.decide.js';
import { changePlan } from './organization/plans.decide.js';
import { replaceReturnOrigins } from './origins/origins.decide.js';

/** All that can happen to an organization. */
export const organizationDecider = decider(organizationKind, {
  createOrganization,
  recordFirstKey,
  replaceContext,
  enterOwners,
  leaveOwners,
  leaveOwnerKeys,
  changePlan,
  replaceReturnOrigins,
});
