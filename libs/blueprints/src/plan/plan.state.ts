import { canonicalJson, type Identity, type Json, type JsonObject } from '@aos/kernel';
import type { AnyKind, AnyRecord, Binding, DefinitionType, Entry } from '@aos/definitions/published';
import type { BlueprintIdentity } from '../blueprint/blueprint.state.js';

/** The `resources` of an apply request: a list of entries for each kind. */
export type RequestedResources = { readonly [list in AnyKind['list']]?: readonly (Entry & JsonObject)[] };

/** An apply request that keeps the rules which need no stored data. */
export interface ApplyRequest {
  identity: BlueprintIdentity;
  /** Null when the request names no version. */
  version: string | null;
  /** True protects, false lifts protection, null keeps it (rule B21). */
  protect: boolean | null;
  resources: RequestedResources;
}

/** The id and generation of a resource that is to be created. */
export interface NewId {
  id: string;
  generation: number;
}

/** The facts that a plan rests on, as they are now. */
export interface PlanFacts {
  /** `entryId` -> the live resource that this blueprint binds to the key. */
  bound: ReadonlyMap<string, AnyRecord>;
  /** `nameId` -> the live resources of that name; more than one only in data from before names were unique. */
  holders: ReadonlyMap<string, readonly AnyRecord[]>;
  /** `entryId` -> the id that a resource gets which is created for the key. */
  newIds: ReadonlyMap<string, NewId>;
  /** Id -> live skill, for references by id. */
  skills: ReadonlyMap<string, AnyRecord>;
  /** `referredId` -> live skills that other blueprints bind under that reference. */
  foreign: ReadonlyMap<string, readonly AnyRecord[]>;
}

export type PlanCaller = Pick<Identity, 'orgId' | 'principalId' | 'kind' | 'permissions'>;

export type ChangeAction = 'created' | 'updated' | 'adopted' | 'unchanged';

/** A field that a plan changes; null: it holds nothing. */
export interface Difference {
  field: string;
  before: Json;
  after: Json;
}

/** The change that a plan makes for one entry. */
export interface Step {
  resource: AnyKind;
  entry: Entry;
  action: ChangeAction;
  id: string;
  /** Null for a resource that is already there. */
  generation: number | null;
  /** Null for a resource that is created. */
  current: AnyRecord | null;
  wire: AnyRecord['wire'];
  /** The fields that differ, by the entry's names of them. */
  differences: Difference[];
  binding: Binding;
  isProtected: boolean;
}

/** One reason for which no part of a plan is carried out (rule B12). */
export interface Conflict {
  reason:
    | 'ambiguous_name'
    | 'immutable_field'
    | 'managed_elsewhere'
    | 'unsafe_adoption'
    | 'name_taken'
    | 'ambiguous_reference';
  resource_type: DefinitionType;
  key: string;
  field?: string;
  /** Ids within the caller's reach. */
  candidates?: string[];
  owner?: JsonObject;
}

/** An entry of a request, with its kind and a pointer to it. */
export interface Requested {
  resource: AnyKind;
  entry: Entry;
  at: string;
}

/** All entries of a request, in write order of their kinds. */
export function requestedOf(resources: readonly AnyKind[], requested: RequestedResources): Requested[] {
  return resources.flatMap((resource) =>
    (requested[resource.list] ?? []).map((entry, index) => ({
      resource,
      entry,
      at: `/resources/${resource.list}/${index}`,
    })),
  );
}

export function nameId(type: DefinitionType, name: string): string {
  return `${type} ${name}`;
}

export function referredId(namespace: string | null, key: string): string {
  return canonicalJson([namespace, key]);
}
