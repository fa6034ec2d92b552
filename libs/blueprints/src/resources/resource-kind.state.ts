import type { IdPrefix, Issue, JsonObject } from '@aos/kernel';
import type { AnyRecord, DefinitionEvent, DefinitionKind, DefinitionType, Named } from '@aos/definitions/published';

/** A definition's fields, for any type of resource. */
export type AnyWire = AnyRecord['wire'];

/** How a resource refers to another (rules BP13, BP14, BP15). */
export type Reference = { id?: string; key?: string; blueprint_ref?: { namespace?: string; key: string } };

/** One resource of an apply request, in the contract's shape. */
export interface Entry {
  key: string;
  name: string;
}

/** The differences between the types of resources; the planner and the writers know no others. */
export interface ResourceKind {
  readonly type: DefinitionType;
  /** Member of `resources` in the request. */
  readonly list: ResourceList;
  readonly prefix: IdPrefix;
  readonly kind: DefinitionKind<AnyWire, DefinitionEvent<AnyWire>>;
  /** Collection of its list. */
  readonly collection: string;
  /**
   * Faults of an entry that the contract's shape cannot express, with pointers below `at`. Refuses invalid_argument for
   * reserved names and tags.
   */
  issues(entry: Entry, at: string): Issue[];
  /**
   * Faults that show only against the existing resource (null: it will be created): faults of the request, not
   * conflicts.
   */
  issuesAgainst(entry: Entry, current: AnyWire | null, at: string): Issue[];
  /** References to skills; undefined: assignments stay. */
  skills(entry: Entry): readonly Reference[] | undefined;
  /** A resource with only its fixed fields set. */
  blank(entry: Entry): AnyWire;
  /** The definition after an entry is applied to it; fields that the entry leaves out stay. */
  configured(current: AnyWire, entry: Entry, skillIds: readonly string[] | undefined): AnyWire;
  /** Fields that the entry would change but that are fixed (rule B20). */
  fixedFields(current: AnyWire, entry: Entry): string[];
  /** The entry's name for a stored field; null for a field that only the service sets. */
  fieldName(field: string): string | null;
}

export const resourceLists = ['tables', 'actions', 'skills', 'agents'] as const;
export type ResourceList = (typeof resourceLists)[number];

/** The parts of a resource kind, with the types of its own definition, events and entry. */
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

/**
 * Erases the types of a kind for the planner and the writers. This is safe, as a record only returns to the kind that
 * made it.
 */
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
