import type { DefinitionRecord, DefinitionType, Named } from './definition.events.js';
import type { Posted } from './custody.decide.js';

/** Who makes a change and when; time and ids come with the command, so that decide functions stay pure. */
export interface ChangeStamp {
  principalId: string;
  /** RFC 3339. */
  at: string;
}

/** A new resource's record at version 1. */
export function newRecord<D extends Named>(
  parts: { id: string; orgId: string; type: DefinitionType; custody: Posted; wire: D },
  stamp: ChangeStamp,
): DefinitionRecord<D> {
  const { id, orgId, type, custody, wire } = parts;
  return {
    id,
    org_id: orgId,
    type,
    owner: custody.owner,
    visibility: custody.visibility,
    members: custody.members,
    binding: null,
    protected: false,
    version: 1,
    created_by: stamp.principalId,
    created_at: stamp.at,
    updated_by: stamp.principalId,
    updated_at: stamp.at,
    deleted_at: null,
    wire,
  };
}

/** The record after a change: one version on. */
export function nextRecord<D>(
  record: DefinitionRecord<D>,
  change: Partial<DefinitionRecord<D>>,
  stamp: ChangeStamp,
): DefinitionRecord<D> {
  return { ...record, ...change, version: record.version + 1, updated_by: stamp.principalId, updated_at: stamp.at };
}
