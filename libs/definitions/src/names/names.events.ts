import { defineEvents, event, type EventOf } from '@aos/kernel';
import type { DefinitionRecord, DefinitionType, Named } from '../definition/definition.events.js';

/** The claiming actor: a request that finishes the claim writes in this actor's name. Flat text. */
export type ClaimActor = {
  orgId: string;
  principalId: string;
  principalKind: 'human' | 'service' | 'worker' | 'agent' | 'system';
  apiKeyId: string | null;
  ip: string | null;
  requestId: string;
};

/**
 * A claim for a new resource carries the whole record, so that any request that finds the resource missing can write
 * it.
 */
export type CreateClaim = { purpose: 'create'; claim_id: string; record: DefinitionRecord<Named>; act: ClaimActor };

/** A claim for a rename rests on one revision: it is carried out exactly there or never. */
export type RenameClaim = {
  purpose: 'rename';
  claim_id: string;
  old_name: string;
  at_revision: number;
  act: ClaimActor;
};

export type NameClaimed = {
  org_id: string;
  type: DefinitionType;
  name: string;
  resource_id: string;
  claim: CreateClaim | RenameClaim;
};

export const nameEvents = defineEvents({
  NameClaimed: event<NameClaimed>(1),
  /** The holder has the name no longer. */
  NameReleased: event<{ org_id: string; resource_id: string }>(1),
});
export type NameEvent = EventOf<typeof nameEvents>;

export type RefClaimed = {
  org_id: string;
  type: DefinitionType;
  external_ref: string;
  resource_id: string;
  /** Name under which the resource that has it is being created; null when it exists and takes the reference now. */
  creating_name: string | null;
  claim_id: string;
  act: ClaimActor;
};

export const refEvents = defineEvents({
  RefClaimed: event<RefClaimed>(1),
  RefReleased: event<{ org_id: string; resource_id: string }>(1),
});
export type RefEvent = EventOf<typeof refEvents>;
