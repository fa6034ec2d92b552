import type { IdPrefix, Issue, JsonObject } from '@aos/kernel';
import type { AnyRecord, DefinitionEvent, DefinitionKind, DefinitionType, Named } from '@aos/definitions/published';

/** A definition's fields, whatever its type. */
export type AnyWire = AnyRecord['wire'];

/** How a resource points at another (rules BP13, BP14, BP15). */
export type Reference = { id?: string; key?: string; blueprint_ref?: { namespace?: string; key: string } };

/** One resource of an apply request, in the contract's shape. */
export interface Entry {
  key: string;
  name: string;
}

/** What tells one type of resource from the others; the planner and the writers know nothing else of them. */
export interface ResourceKind {
  readonly type: DefinitionType;
  /** Member of `resources` in the request. */
  readonly list: ResourceList;
  readonly prefix: IdPrefix;
  readonly kind: DefinitionKind<AnyWire, DefinitionEvent<AnyWire>>;
  /** Collection of its list. */
  readonly collection: string;
  /**
   * What the contract's shape cannot say, with pointers below `at`. Refuses invalid_argument for reserved names and
   * tags.
   */
  issues(entry: Entry, at: string): Issue[];
  /** What only stands against what there is (null: it will be created): faults of the request, not conflicts. */
  issuesAgainst(entry: Entry, current: AnyWire | null, at: string): Issue[];
  /** References to skills; absent: assignments stay. */
  skills(entry: Entry): readonly Reference[] | undefined;
  /** A resource of which nothing but its fixed facts was said. */
  blank(entry: Entry): AnyWire;
  /** What results from a definition and an entry; fields that are left out stay. */
  configured(current: AnyWire, entry: Entry, skillIds: readonly string[] | undefined): AnyWire;
  /** Fields that the entry would change but that are fixed (rule B20). */
  fixedFields(current: AnyWire, entry: Entry): string[];
  /** The entry's name of a stored field; null for one that is the service's own. */
  fieldName(field: string): string | null;
}

export const resourceLists = ['tables', 'actions', 'skills', 'agents'] as const;
export type ResourceList = (typeof resourceLists)[number];

/** The parts of a resource kind as its own type knows them. */
export interface ResourceParts<D extends Named, E extends DefinitionEvent<D>, R extends Entry> {
  type: DefinitionType;
  list: ResourceList;
  prefix: IdPrefix;
  kind: DefinitionKind<D, E>;
  collection: string;
  issues(entry: R, at: string): Issue[];
  issuesAgainst?(entry: R, current: D | null, at: string): Issue[];
  skills?(entry: R): readonly Reference[] | undefined;
  blank(entry: R): D;
  configured(current: D, entry: R, skillIds: readonly string[] | undefined): D;
  fixedFields?(current: D, entry: R): string[];
  fieldNames?: Readonly<Record<string, string | null>>;
}

/** Lets code that knows no types pass one on: a record only ever comes back to the kind that made it. */
export function resourceKind<D extends Named & object, E extends DefinitionEvent<D>, R extends Entry>(
  parts: ResourceParts<D, E, R>,
): ResourceKind {
  const wire = (fields: AnyWire): D => fields as unknown as D;
  const anyWire = (fields: D): AnyWire => fields as unknown as AnyWire;
  const own = (entry: Entry): R => entry as R;
  return {
    type: parts.type,
    list: parts.list,
    prefix: parts.prefix,
    kind: parts.kind as unknown as ResourceKind['kind'],
    collection: parts.collection,
    issues: (entry, at) => parts.issues(own(entry), at),
    issuesAgainst: (entry, current, at) => parts.issuesAgainst?.(own(entry), current && wire(current), at) ?? [],
    skills: (entry) => parts.skills?.(own(entry)),
    blank: (entry) => anyWire(parts.blank(own(entry))),
    configured: (current, entry, skillIds) => anyWire(parts.configured(wire(current), own(entry), skillIds)),
    fixedFields: (current, entry) => parts.fixedFields?.(wire(current), own(entry)) ?? [],
    fieldName: (field) =>
      parts.fieldNames && Object.hasOwn(parts.fieldNames, field) ? (parts.fieldNames[field] ?? null) : field,
  };
}

export type RequestedResources = { readonly [list in ResourceList]?: readonly (Entry & JsonObject)[] };
