import type { JsonObject } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import type { AccessDecisions } from '../changes/access-decisions.js';
import type { NamedResource } from '../names/names.js';
import { principalDecider } from '../principal.decider.js';
import type { PrincipalRecord, RoleGrant } from './principal.events.js';
import { principalKind } from './principal.state.js';

/** What a claim for a principal carries. */
export type PrincipalDefinition = { principal: PrincipalRecord; grants: RoleGrant[] };

/** How a name's claim finds and completes a principal. */
export function principalResource(decisions: AccessDecisions): NamedResource {
  return {
    type: 'principal',
    async status(resourceId) {
      const { principal, status } = (await decisions.load(principalKind, resourceId)).state;
      if (!principal) return 'missing';
      return status === 'deleted' ? 'deleted' : 'live';
    },
    async create(actor: Actor, definition: JsonObject, eventId: string) {
      const { principal, grants } = definition as PrincipalDefinition;
      const command = { principal, grants };
      await decisions.decide(principalDecider.createPrincipal, principal.id, actor, command, {
        eventId: () => eventId,
      });
    },
  };
}
