import { defineEvents, event, type EventOf } from '@aos/kernel';
import type { DefinitionType } from '@aos/definitions/published';

/** The change of a blueprint that is under way: other changes wait, or take over when its time is up. */
export type ChangeBegun = {
  org_id: string;
  namespace: string | null;
  blueprint_key: string | null;
  change_id: string;
  /** Process that carries it out. */
  process: string;
  /** RFC 3339; without a sign of life until then the change counts as dead. */
  until: string;
};

/** A resource that a change is about to bind. Only the resource's own stream says whether it was bound. */
export type IntendedEntry = {
  resource_type: DefinitionType;
  key: string;
  resource_id: string;
  /** Name under which it is created, by which a create that broke off is found again. */
  name: string;
  /** How many resources of this key were created before this one, where the change creates it. */
  generation: number;
};

export const blueprintEvents = defineEvents({
  ChangeBegun: event<ChangeBegun>(1),
  ChangeProlonged: event<{ change_id: string; until: string }>(1),
  EntriesIntended: event<{ change_id: string; entries: IntendedEntry[] }>(1),
  ChangeEnded: event<{ change_id: string }>(1),
});
export type BlueprintEvent = EventOf<typeof blueprintEvents>;
