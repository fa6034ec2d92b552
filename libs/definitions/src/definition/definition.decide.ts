import { changeIdOf, doneAfter, isDone, type CustodyCommand, type Identity } from '@aos/kernel';
import type { DefinitionRecord, DefinitionType, Named } from './definition.events.js';
import type { DefinitionEvent, DefinitionKind, DefinitionState } from './definition.state.js';
import { requireCustody, requireUnprotected, type Posted } from './custody.decide.js';
import { differingFields } from './differences.decide.js';
import { custodyAfter } from './transfer.decide.js';

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
  const members_added = additionsOf({}, custody.members, stamp);
  return {
    id,
    org_id: orgId,
    type,
    owner: custody.owner,
    visibility: custody.visibility,
    members: custody.members,
    ...(members_added && { members_added }),
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
  const next = { ...record, ...change, version: record.version + 1 };
  const { members_added: known, ...rest } = next;
  const members_added = additionsOf(known ?? {}, next.members, stamp, record.members);
  return { ...rest, ...(members_added && { members_added }), updated_by: stamp.principalId, updated_at: stamp.at };
}

/** When each member was added and by whom; nothing is known of those that stood on the list before this was kept. */
function additionsOf(
  known: Readonly<Record<string, { at: string; by: string }>>,
  members: readonly string[],
  { at, principalId: by }: ChangeStamp,
  before: readonly string[] = [],
): Record<string, { at: string; by: string }> | undefined {
  const entries = members.flatMap((member) => {
    const added = known[member] ?? (before.includes(member) ? undefined : { at, by });
    return added ? [[member, added] as const] : [];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
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
 * Changes owner or audience of a skill, an action or a table.
 *
 * Gives    one event, or none when nothing differs; by a disposition one event, once for each change.
 * Refuses  what `custodyAfter` refuses; blueprint_resource_protected.
 * Source   rules TE10, TE11.
 */
export function changeCustody<D extends Named, E extends DefinitionEvent<D>>(kind: DefinitionKind<D, E>) {
  return (command: DefinitionCommand & CustodyCommand, record: DefinitionRecord<D>): E[] => {
    const { basis } = command;
    if (isDone(record.dispositions_done, basis)) return [];
    const custody = custodyAfter(record, command, command.who);
    requireUnprotected(record);
    if (basis.kind === 'transfer') return changeEvents(kind, record, { ...custody, wire: record.wire }, command);
    const dispositions_done = doneAfter(record.dispositions_done, changeIdOf(basis));
    return [kind.changed(nextRecord(record, { ...custody, dispositions_done }, stampOf(command)))];
  };
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
