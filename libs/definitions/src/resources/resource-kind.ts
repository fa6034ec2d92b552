import type { IdPrefix, Identity } from '@aos/kernel';
import type { DefinitionEntry } from '../definition/definition.decider.js';
import type { ChangeStamp, DefinitionCommand } from '../definition/definition.decide.js';
import type { DefinitionRecord, DefinitionType, Named } from '../definition/definition.events.js';
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
};

type EventOfKind<T extends ResourceTypes> = DefinitionEvent<T['definition']>;
type RecordOf<T extends ResourceTypes> = DefinitionRecord<T['definition']>;

/** All that differs between agents, skills, actions and tables; what carries out their commands knows no other. */
export interface ResourceKind<T extends ResourceTypes> {
  readonly type: DefinitionType;
  /** Name of its list in cursors and in blueprints. */
  readonly list: 'tables' | 'actions' | 'skills' | 'agents';
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
  /** Takes one that is deleted off all that refers to it. */
  removeReferences?(services: ResourceServices, who: Identity, id: string, stamp: ChangeStamp): Promise<void>;
}

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
