import { defineEvents, event, type EventOf } from '@aos/kernel';
import type { DefinitionType } from '@aos/definitions/published';

/** Who changes a blueprint now: others wait, or take over when its time is up. */
export interface ChangeBegun {
  org_id: string;
  namespace: string | null;
  blueprint_key: string | null;
  change_id: string;
  /** Process that carries it out. */
  process: string;
  /** RFC 3339; without a sign of life until then the change counts as dead. */
  until: string;
}

/** A resource that a change is about to bind. Whether it did is said by the resource's own stream alone. */
export interface IntendedEntry {
  resource_type: DefinitionType;
  key: string;
  resource_id: string;
  /** Name under which it is created, by which a create that broke off is found again. */
  name: string;
  /** How many resources of this key were created before, when it is created. */
  generation: number;
}

export const blueprintEvents = defineEvents({
  ChangeBegun: event<ChangeBegun>(1),
  ChangeProlonged: event<{ change_id: string; until: string }>(1),
  EntriesIntended: event<{ change_id: string; entries: IntendedEntry[] }>(1),
  ChangeEnded: event<{ change_id: string }>(1),
});
export type BlueprintEvent = EventOf<typeof blueprintEvents>;
