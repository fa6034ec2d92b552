import type { Schema } from '@aos/contract';
import type { IdPrefix, Identity, Issue } from '@aos/kernel';
import type { DefinitionEntry } from '../definition/definition.decider.js';
import type { ChangeStamp, DefinitionCommand } from '../definition/definition.decide.js';
import type { AnyRecord, DefinitionRecord, DefinitionType, Named } from '../definition/definition.events.js';
import type { DefinitionProjection } from '../definition/definition.projection.js';
import type { DefinitionEvent, DefinitionKind } from '../definition/definition.state.js';
import type { ResourceServices } from './resource-services.js';

/** The types of one kind of resource. */
export type ResourceTypes = {
  /** What its author configured, as it is stored. */
  definition: Named;
  /** Bodies of its creation and of a change. */
  created: object;
  changed: object;
  /** What the contract shows of it. */
  wire: object;
  /** One of it in a blueprint. */
  entry: Entry;
};

/** One resource of an apply request, in the contract's shape. */
export interface Entry {
  key: string;
  name: string;
}

/** How a resource of a blueprint refers to another (rules BP13, BP14, BP15). */
export type Reference = { id?: string; key?: string; blueprint_ref?: { namespace?: string; key: string } };

type EventOfKind<T extends ResourceTypes> = DefinitionEvent<T['definition']>;
type RecordOf<T extends ResourceTypes> = DefinitionRecord<T['definition']>;

/** All that differs between agents, skills, actions and tables: what serves all four knows no other difference. */
export interface ResourceKind<T extends ResourceTypes> {
  readonly type: DefinitionType;
  /** Name of its list in cursors and in blueprints. */
  readonly list: keyof Schema<'BlueprintResources'>;
  readonly prefix: IdPrefix;
  readonly kind: DefinitionKind<T['definition'], EventOfKind<T>>;
  readonly projection: DefinitionProjection<T['definition'], EventOfKind<T>>;
  /** What a path calls it by. */
  readonly knownBy: 'id' | 'name';
  /** Members of a list's query, each with the index that it asks for. */
  readonly filters: Readonly<Record<string, string>>;
  wire(record: RecordOf<T>, who: Identity): T['wire'];

  /** Makes the record of a new one, or refuses. The writer of the record claims its name. */
  create(command: DefinitionCommand & { id: string; body: T['created'] }): RecordOf<T>;
  readonly change: DefinitionEntry<T['definition'], EventOfKind<T>, ResourceChange<T>>;
  readonly delete: DefinitionEntry<T['definition'], EventOfKind<T>, DefinitionCommand>;

  /** Refuses a body that names what is not there or not allowed, of a new one or of a change. */
  checkNew(services: ResourceServices, who: Identity, body: T['created']): Promise<void>;
  checkChange?(services: ResourceServices, who: Identity, body: T['changed'], known: RecordOf<T>): Promise<void>;
  readonly secrets?: ResourceSecrets<T>;
  /** Takes one that is to be deleted off all that refers to it; a repeat finds what is left. */
  removeReferences?(services: ResourceServices, who: Identity, id: string, stamp: ChangeStamp): Promise<void>;

  readonly blueprint: BlueprintPart<T>;
  /** Audit entries of events that only this kind has; null for an event that is no act of its own. */
  readonly audit?: Readonly<Record<string, { action: string; changedFields: string[] } | null>>;
}

/** Any kind, for what handles several: a record only returns to the kind that made it. */
export type AnyKind = Omit<
  ResourceKind<{ definition: AnyRecord['wire']; created: object; changed: object; wire: object; entry: Entry }>,
  'change' | 'delete'
>;

export type ResourceChange<T extends ResourceTypes> = DefinitionCommand & {
  body: T['changed'];
  /** Seals secrets of the record anew where that is due. */
  sealedAnew: (record: RecordOf<T>) => RecordOf<T>;
};

/** Secrets that the service itself makes. */
export interface ResourceSecrets<T extends ResourceTypes> {
  /** The record of a new one with its first secret; only the answer to its creation shows `shown`. */
  first(services: ResourceServices, record: RecordOf<T>): { record: RecordOf<T>; shown: Partial<T['wire']> };
  sealedAnew(services: ResourceServices, record: RecordOf<T>): RecordOf<T>;
}

/** A kind as blueprints plan and write it. */
export interface BlueprintPart<T extends ResourceTypes> {
  /**
   * Faults of an entry that the contract's shape cannot express, with pointers below `at`. Refuses invalid_argument for
   * reserved names and tags.
   */
  issues(entry: T['entry'], at: string): Issue[];
  /**
   * Faults that show only against the existing resource (null: it will be created): faults of the request, not
   * conflicts.
   */
  issuesAgainst?(entry: T['entry'], current: T['definition'] | null, at: string): Issue[];
  /** As `checkNew`, for an entry with pointers below `at`. */
  check?(services: ResourceServices, who: Identity, entry: T['entry'], at: string): Promise<void>;
  /** References to skills; undefined: assignments stay. */
  skills?(entry: T['entry']): readonly Reference[] | undefined;
  /** A resource with only its fixed fields set. */
  blank(entry: T['entry']): T['definition'];
  /** The definition after an entry is applied to it; fields that the entry leaves out stay. */
  configured(current: T['definition'], entry: T['entry'], skillIds: readonly string[] | undefined): T['definition'];
  /** Fields that the entry would change but that are fixed (rule B20). */
  fixedFields?(current: T['definition'], entry: T['entry']): string[];
  /** The entry's names for stored fields that it names otherwise; null for a field that only the service sets. */
  readonly fieldNames?: Readonly<Record<string, string | null>>;
}
