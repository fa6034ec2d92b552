import { idPart, type JsonObject } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import type { AccessDecisions } from '../changes/access-decisions.js';
import type { NamedResource } from '../names/names.js';
import { roleDecider } from '../role.decider.js';
import type { RoleRecord } from './role.events.js';
import { roleKind } from './role.state.js';

/** How a name's claim finds and completes a custom role. */
export function roleResource(decisions: AccessDecisions): NamedResource {
  return {
    type: 'role',
    async status(resourceId) {
      const { role, deleted } = (await decisions.load(roleKind, idPart(resourceId))).state;
      if (!role) return 'missing';
      return deleted ? 'deleted' : 'live';
    },
    async create(actor: Actor, definition: JsonObject, eventId: string) {
      const role = definition as RoleRecord;
      await decisions.decide(roleDecider.createRole, idPart(role.id), actor, { role }, { eventId: () => eventId });
    },
  };
}
