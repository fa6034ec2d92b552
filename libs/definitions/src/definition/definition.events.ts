import type { Schema } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';

/** Who answers for a resource: a named person, or the organization's team (contract, `Owner`). */
export type Owner = { kind: 'person' | 'team'; id: string | null };

/** An owner as a body names it: the team needs no id. */
export type WantedOwner = { kind: 'person' | 'team'; id?: string | null };

/** Declared audience. `restricted` is an agent's only. */
export type Visibility = 'private' | 'organization' | 'restricted';

export type DefinitionType = Schema<'BlueprintResourceType'>;

/** The one blueprint that manages a resource (rule BIND7). */
export type Binding = {
  namespace: string | null;
  blueprint_key: string | null;
  blueprint_version: string | null;
  key: string;
  delete_on_destroy: boolean;
};

/**
 * A resource as it stands: what the service keeps about it, and what its author configured.
 *
 * Every event of a definition stream carries one whole, so the last event is the current state.
 */
export type DefinitionRecord<D> = {
  id: string;
  org_id: string;
  type: DefinitionType;
  owner: Owner;
  visibility: Visibility;
  /** Principals that reach it besides its owner. */
  members: string[];
  /** Of each member when and by whom it was added; absent of members from before this was kept. */
  members_added?: Record<string, { at: string; by: string }>;
  binding: Binding | null;
  /** Set by the blueprint that binds it: ordinary changes are refused. */
  protected: boolean;
  /** Starts at 1 and grows with each change. */
  version: number;
  created_by: string;
  created_at: string;
  updated_by: string;
  updated_at: string;
  deleted_at: string | null;
  /** What its author configured, in the contract's names; what is not set is absent. */
  wire: D;
};

/** Data of every event of a definition stream. */
export type Recorded<D> = { record: DefinitionRecord<D> };

/** What every definition has, so that names and references need not know its type. */
export type Named = { name: string; external_ref?: string };

/** Any definition, for code that only passes it on. */
export type AnyRecord = DefinitionRecord<Named & JsonObject>;
