import type { JsonObject } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import type { AccessDecisions } from '../changes/access-decisions.js';
import type { NamedResource } from '../names/names.js';
import type { PrincipalEvent, PrincipalRecord, RoleGrant } from './principal.events.js';
import { principalKind } from './principal.state.js';

/** What a claim for a principal carries. */
export interface PrincipalDefinition extends JsonObject {
  principal: PrincipalRecord;
  grants: RoleGrant[];
}

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
      await decisions.run(
        principalKind,
        principal.id,
        actor,
        (state): PrincipalEvent[] =>
          state.principal ? [] : [{ type: 'PrincipalCreated', data: { principal, grants } }],
        { eventId: () => eventId },
      );
    },
  };
}
