import type { Schema } from '@aos/contract';
import type { BasePermission, JsonObject, Owner, PrincipalKind, Visibility } from '@aos/kernel';

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
  /** Changes of agents' audiences whose disposition over it was carried out, the newest ones; absent: none was. */
  dispositions_done?: string[];
  /** Of an agent: what accepted changes of its custody still have to bring about; absent: nothing. */
  follow_ups?: FollowUp[];
  /** What its author configured, in the contract's names; what is not set is absent. */
  wire: D;
};

/** One resource that a change of an agent's audience concerns, and what becomes of it. */
export type Disposition = Schema<'AgentAudienceResourceDisposition'>;

/** Who owned a resource and reached it at a time. */
export type CustodyThen = { owner: Owner; visibility: Visibility; members: string[] };

/** What an accepted change of an agent's custody still has to bring about (rules TE10, TE11). */
export type FollowUp = {
  id: string;
  at: string;
  /** The principal that made the change, with what it was allowed: nothing is carried out beyond that. */
  by: { id: string; kind: PrincipalKind; permissions: BasePermission[] };
  /** Custody before the change and after it: who lost reach by it follows from these. */
  before: CustodyThen;
  after: CustodyThen;
  dispositions: Disposition[];
  /** Partitions of people who lost reach are deleted. */
  deletes_stranded: boolean;
  /** Grants of persons' connections to the agent end. */
  ends_grants: boolean;
};

/** Data of every event of a definition stream. */
export type Recorded<D> = { record: DefinitionRecord<D> };

/** What every definition has, so that names and references need not know its type. */
export type Named = { name: string; external_ref?: string };

/** Any definition, for code that only passes it on. */
export type AnyRecord = DefinitionRecord<Named & JsonObject>;
