import type { Identity } from '@aos/kernel';
import type { DefinitionRecord, DefinitionType, Named } from './definition.events.js';
import type { DefinitionEvent, DefinitionKind, DefinitionState } from './definition.state.js';
import { requireCustody, requireUnprotected, type Posted } from './custody.decide.js';
import { differingFields } from './differences.decide.js';

/** What every command about a definition says. */
export interface DefinitionCommand {
  who: Identity;
  /** RFC 3339. */
  at: string;
}

/** Who makes a change and when; time and ids come with the command, so that decide functions stay pure. */
export interface ChangeStamp {
  principalId: string;
  /** RFC 3339. */
  at: string;
}

export function stampOf({ who, at }: DefinitionCommand): ChangeStamp {
  return { principalId: who.principalId, at };
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

/** Carries a creation out that was claimed: writes its event, once. */
export function finishCreation<D, E>({ event }: { event: E }, { record }: DefinitionState<D>): readonly E[] {
  return record ? [] : [event];
}

/** The event of a change of fields, owner or audience; none when nothing differs. */
export function changeEvents<D extends Named, E extends DefinitionEvent<D>>(
  kind: DefinitionKind<D, E>,
  record: DefinitionRecord<D>,
  change: { wire: D } & Partial<Posted>,
  command: DefinitionCommand,
): E[] {
  const { owner, visibility, members, wire } = { ...record, ...change };
  const isSame =
    differingFields(record.wire, wire).length === 0 &&
    differingFields(posted(record), { owner, visibility, members }).length === 0;
  return isSame ? [] : [kind.changed(nextRecord(record, change, stampOf(command)))];
}

/**
 * Deletes a resource of any type: it is kept for audit, and its name is free again; an agent's reference stays taken
 * (rule R16).
 *
 * Refuses  not_found, permission_denied (custody); blueprint_resource_protected.
 */
export function deleteDefinition<D extends Named, E extends DefinitionEvent<D>>(kind: DefinitionKind<D, E>) {
  return (command: DefinitionCommand, record: DefinitionRecord<D>): E[] => {
    requireCustody(record, command.who);
    requireUnprotected(record);
    return [kind.deleted(nextRecord(record, { deleted_at: command.at }, stampOf(command)))];
  };
}

function posted({ owner, visibility, members }: Posted): Posted {
  return { owner, visibility, members };
}
