import { idPart, type JsonObject } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import type { AccessDecisions } from '../changes/access-decisions.js';
import type { NamedResource } from '../names/names.js';
import { apiKeyDecider } from '../apikey.decider.js';
import type { ApiKeyRecord } from './apikey.events.js';
import { apiKeyKind } from './apikey.state.js';

/** How a name's claim finds and completes an API key. */
export function apiKeyResource(decisions: AccessDecisions): NamedResource {
  return {
    type: 'apikey',
    async status(resourceId) {
      const { key, revoked } = (await decisions.load(apiKeyKind, idPart(resourceId))).state;
      if (!key) return 'missing';
      return revoked ? 'deleted' : 'live';
    },
    async create(actor: Actor, definition: JsonObject, eventId: string) {
      const key = definition as ApiKeyRecord;
      await decisions.decide(apiKeyDecider.issueKey, idPart(key.id), actor, { key }, { eventId: () => eventId });
    },
  };
}
