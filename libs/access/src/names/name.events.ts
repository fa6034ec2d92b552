import { defineEvents, event, type EventOf, type JsonObject } from '@aos/kernel';

export type NamedType = 'organization' | 'role' | 'principal' | 'apikey';

/** Who made the claim. Another process that completes the claim writes the resource in this actor's name. */
export type ClaimedBy = {
  principal_id: string;
  principal_kind: string;
  api_key_id: string | null;
  ip: string | null;
  request_id: string;
};

export const nameEvents = defineEvents({
  /** The claim is the commit point of a create, so it carries the whole definition. */
  NameClaimed: event<{
    org_id: string;
    resource_type: NamedType;
    name: string;
    resource_id: string;
    definition: JsonObject;
    claimed_by: ClaimedBy;
  }>(1),
  NameReleased: event<{ org_id: string; resource_type: NamedType; name: string; resource_id: string }>(1),
});
export type NameEvent = EventOf<typeof nameEvents>;
