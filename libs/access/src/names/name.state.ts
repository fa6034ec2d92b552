import { hash32, unreachable, type JsonObject, type StreamKind } from '@aos/kernel';
import { nameEvents, type ClaimedBy, type NameEvent, type NamedType } from './name.events.js';

export interface NameState {
  readonly holder: {
    readonly resourceId: string;
    readonly definition: JsonObject;
    readonly claimedBy: ClaimedBy;
    readonly claimRevision: number;
  } | null;
}

export const nameKind: StreamKind<NameState, NameEvent> = {
  category: 'name',
  events: nameEvents,
  stateVersion: 1,
  initial: () => ({ holder: null }),
  evolve(_state, { type, data }, revision) {
    switch (type) {
      case 'NameClaimed':
        return {
          holder: {
            resourceId: data.resource_id,
            definition: data.definition,
            claimedBy: data.claimed_by,
            claimRevision: revision,
          },
        };
      case 'NameReleased':
        return { holder: null };
      default:
        return unreachable(type);
    }
  },
};

/** Id of the stream that guards a name. */
export function nameStreamId(orgId: string, type: NamedType, name: string): string {
  return hash32(JSON.stringify([orgId, type, name]));
}
