import { decider } from '@aos/kernel';
import { principalKind } from './principal/principal.state.js';
import {
  affirmOwnership,
  assignRole,
  changePrincipal,
  createPrincipal,
  deletePrincipal,
  endAssignment,
  followAgent,
  unassignRole,
} from './principals/principals.decide.js';

/** All that can happen to a principal. `PrincipalChanges` decides all but the first, in step with the Owners. */
export const principalDecider = decider(principalKind, {
  createPrincipal,
  changePrincipal,
  deletePrincipal,
  followAgent,
  assignRole,
  unassignRole,
  endAssignment,
  affirmOwnership,
});
