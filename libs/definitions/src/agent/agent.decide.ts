import { Refusal, badRequest, type CustodyCommand } from '@aos/kernel';
import type { AgentDefinition, AgentEvent } from './agent.events.js';
import { agentIssues, dispositionIssues } from './agent.limits.js';
import {
  agentKind,
  configured,
  unconfigured,
  type AgentPatch,
  type AgentRecord,
  type NewAgent,
} from './agent.state.js';
import {
  adminOnly,
  changedAudience,
  newCustody,
  requireCustody,
  requireUnprotected,
  sameOwner,
} from '../definition/custody.decide.js';
import {
  changeEvents,
  newRecord,
  nextRecord,
  stampOf,
  type ChangeStamp,
  type DefinitionCommand,
} from '../definition/definition.decide.js';
import type { CustodyThen, FollowUp } from '../definition/definition.events.js';
import { followUpsMax, membersMax, requireOwnTags } from '../definition/definition.limits.js';
import type { DefinitionState } from '../definition/definition.state.js';
import { differingFields } from '../definition/differences.decide.js';
import { custodyAfter } from '../definition/transfer.decide.js';

/**
 * A new agent.
 *
 * Takes    the body; the id it will have.
 * Gives    its record; the writer of the record claims the name and the reference.
 * Refuses  bad_request for what the shape cannot say; invalid_argument {human_custodian_required} (rule A25);
 *          permission_denied.
 * Source   rules R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, R13, R14, A25, A26, L6, L8, L12.
 */
export function createAgent(command: DefinitionCommand & { id: string; body: NewAgent }): AgentRecord {
  const { who, id, body } = command;
  const issues = agentIssues(body);
  if (body.if_exists === 'adopt' && body.external_ref === undefined)
    issues.push({ path: '/external_ref', message: 'is needed to adopt' });
  if (issues.length > 0) throw badRequest(issues);
  requireOwnTags(body.tags);
  const custody = newCustody(body, who, 'private');
  return newRecord(
    { id, orgId: who.orgId, type: 'agent', custody, wire: configured(unconfigured(body.name), body) },
    stampOf(command),
  );
}

/**
 * The match of an adopting create: the live agent with this reference and name, unchanged.
 *
 * Refuses  external_identity_conflict when the match is deleted, has another name or is out of the caller's reach
 *          (rule R9).
 */
export function adoptAgent(record: AgentRecord, name: string, visible: boolean): AgentRecord {
  const adoptable = record.deleted_at === null && record.wire.name === name && visible;
  if (adoptable) return record;
  throw new Refusal(
    'external_identity_conflict',
    { external_ref: record.wire.external_ref ?? null },
    'the external_ref belongs to another agent',
  );
}

/**
 * Changes an agent's fields and audience; the next turn reads it.
 *
 * Gives    one event, or none when nothing differs.
 * Takes    the id of what the change of its audience brings about besides, by the dispositions of the body.
 * Refuses  not_found, permission_denied (custody, and for deleting what is stranded); blueprint_resource_protected;
 *          bad_request; external_identity_conflict when the reference is set to another value;
 *          visibility_change_unconfirmed; conflict {reason: follow_ups}.
 * Source   rules INV16, INV17, R10, A26, B23, G9, TE11.
 */
export function changeAgent(
  command: DefinitionCommand & { body: AgentPatch; followUpId?: string },
  record: AgentRecord,
): AgentEvent[] {
  const { who, body } = command;
  requireCustody(record, who);
  requireUnprotected(record);
  const issues = [...agentIssues(body), ...dispositionIssues(body.affected_resource_dispositions)];
  if (issues.length > 0) throw badRequest(issues);
  requireOwnTags(body.tags);
  const known = record.wire.external_ref;
  if (body.external_ref !== undefined && known !== undefined && body.external_ref !== known) {
    throw new Refusal('external_identity_conflict', { external_ref: known }, 'the external_ref is set and stays');
  }
  const { visibility, members } = changedAudience(
    record,
    { ...body, confirmed: body.confirm_visibility_change === true },
    who,
  );
  const change = { visibility, members, wire: configured(record.wire, body) };
  const followUp = audienceFollowUp(command, record, change);
  if (!followUp) return changeEvents(agentKind, record, change, command);
  const revoked = revokedSkills(body);
  const wire = { ...change.wire, skill_ids: change.wire.skill_ids.filter((id) => !revoked.includes(id)) };
  return [custodyChanged(record, { ...change, wire }, followUp, command)];
}

/** What a change of audience brings about besides; null when nothing is asked for, or the audience stays. */
function audienceFollowUp(
  { who, at, body, followUpId }: DefinitionCommand & { body: AgentPatch; followUpId?: string },
  record: AgentRecord,
  { visibility, members }: Pick<AgentRecord, 'visibility' | 'members'>,
): FollowUp | null {
  const asked = body.affected_resource_dispositions ?? [];
  const deletesStranded = body.stranded_disposition === 'delete';
  if (deletesStranded && !who.permissions.has('svc.org.admin'))
    throw adminOnly('only an administrator deletes the memory of people who lose reach');
  const stays = visibility === record.visibility && differingFields(members, record.members).length === 0;
  if (followUpId === undefined || stays || (asked.length === 0 && !deletesStranded)) return null;
  return {
    ...newFollowUp({ who, at }, record, { owner: record.owner, visibility, members }, followUpId),
    // the agent's own use of a skill ends in the same event
    dispositions: asked.filter(({ resource_type: type, action }) => type !== 'skill' || action !== 'revoke'),
    deletes_stranded: deletesStranded,
  };
}

function revokedSkills({ affected_resource_dispositions: asked = [] }: AgentPatch): string[] {
  return asked.flatMap(({ resource_type: type, resource_id: id, action }) =>
    type === 'skill' && action === 'revoke' ? [id] : [],
  );
}

function newFollowUp({ who, at }: DefinitionCommand, record: AgentRecord, after: CustodyThen, id: string): FollowUp {
  const { owner, visibility, members } = record;
  return {
    id,
    at,
    by: { id: who.principalId, kind: who.kind, permissions: [...who.permissions].sort() },
    before: { owner, visibility, members },
    after,
    dispositions: [],
    deletes_stranded: false,
    ends_grants: false,
  };
}

function custodyChanged(
  record: AgentRecord,
  change: Partial<AgentRecord>,
  followUp: FollowUp,
  command: DefinitionCommand,
): AgentEvent {
  const pending = record.follow_ups ?? [];
  if (pending.length >= followUpsMax)
    throw new Refusal('conflict', { reason: 'follow_ups' }, 'changes of this agent before are still carried out');
  const next = nextRecord(record, { ...change, follow_ups: [...pending, followUp] }, stampOf(command));
  return { type: 'AgentCustodyChanged', data: { record: next } };
}

/**
 * Changes owner or audience of an agent by the ownership operation.
 *
 * Takes    the id of what a change of the owner brings about: grants of persons' connections to the agent end.
 * Gives    one event, or none when nothing differs.
 * Refuses  what `custodyAfter` refuses; blueprint_resource_protected; conflict {reason: follow_ups}.
 * Source   rule TE10.
 */
export function changeAgentCustody(
  command: DefinitionCommand & CustodyCommand & { followUpId: string },
  record: AgentRecord,
): AgentEvent[] {
  const custody = custodyAfter(record, command, command.who);
  requireUnprotected(record);
  if (sameOwner(record.owner, custody.owner))
    return changeEvents(agentKind, record, { ...custody, wire: record.wire }, command);
  const followUp = { ...newFollowUp(command, record, custody, command.followUpId), ends_grants: true };
  return [custodyChanged(record, custody, followUp, command)];
}

/** What a change of custody brought about is done; of a deleted agent too. Nothing when it was. */
export function finishFollowUp({ id }: { id: string }, { record }: DefinitionState<AgentDefinition>): AgentEvent[] {
  if (!record?.follow_ups?.some((each) => each.id === id)) return [];
  const { follow_ups: pending, ...rest } = record;
  const left = pending.filter((each) => each.id !== id);
  const next = left.length > 0 ? { ...rest, follow_ups: left } : rest;
  return [{ type: 'AgentFollowUpDone', data: { record: next } }];
}

/**
 * Replaces the assigned skills, in order. It refuses what `changeAgent` refuses; the handler checks before that the
 * skills exist.
 */
export function assignSkills(command: DefinitionCommand & { skillIds: string[] }, record: AgentRecord): AgentEvent[] {
  requireCustody(record, command.who);
  requireUnprotected(record);
  return withSkills(record, command.skillIds, stampOf(command));
}

/**
 * Changes who besides its owner reaches an agent while it is private or restricted; no confirmation is asked.
 *
 * Takes    the ids to add and to take off, or the whole list; the handler checks before that new ones are principals.
 * Gives    one event, or none when nothing differs.
 * Refuses  not_found, permission_denied (custody); blueprint_resource_protected; bad_request for more than 200.
 * Source   rule TE10.
 */
export function changeMembers(
  command: DefinitionCommand & { members: { add: readonly string[]; remove: readonly string[] } | readonly string[] },
  record: AgentRecord,
): AgentEvent[] {
  requireCustody(record, command.who);
  requireUnprotected(record);
  const wanted = 'add' in command.members ? joined(record.members, command.members) : command.members;
  const members = [...new Set(wanted)];
  if (members.length > membersMax)
    throw badRequest([{ path: '/principal_ids', message: `at most ${membersMax} members` }]);
  const isSame = members.length === record.members.length && members.every((id) => record.members.includes(id));
  return isSame ? [] : changeEvents(agentKind, record, { members, wire: record.wire }, command);
}

function joined(
  members: readonly string[],
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): string[] {
  return [...members, ...add].filter((id) => !remove.includes(id));
}

/** The inbox address is the agent's id at the domain; repeating changes nothing (rule R14). */
export function provisionInbox(command: DefinitionCommand & { domain: string }, record: AgentRecord): AgentEvent[] {
  requireCustody(record, command.who);
  if (record.wire.email_address) return [];
  const wire = { ...record.wire, email_address: `${record.id}@${command.domain.toLowerCase()}` };
  return [{ type: 'AgentInboxProvisioned', data: { record: nextRecord(record, { wire }, stampOf(command)) } }];
}

/** The assigned skills replaced, in order; nothing when they are the same. */
function withSkills(record: AgentRecord, skillIds: string[], stamp: ChangeStamp): AgentEvent[] {
  const { skill_ids: assigned } = record.wire;
  if (assigned.length === skillIds.length && assigned.every((id, index) => id === skillIds[index])) return [];
  const wire = { ...record.wire, skill_ids: [...skillIds] };
  return [{ type: 'AgentSkillsAssigned', data: { record: nextRecord(record, { wire }, stamp) } }];
}

/** A deleted skill leaves an agent, be it protected. */
export function takeSkillOff(
  { skillId, stamp }: { skillId: string; stamp: ChangeStamp },
  record: AgentRecord,
): AgentEvent[] {
  return withSkills(
    record,
    record.wire.skill_ids.filter((id) => id !== skillId),
    stamp,
  );
}
