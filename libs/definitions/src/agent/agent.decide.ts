import { Refusal, badRequest } from '@aos/kernel';
import type { AgentEvent } from './agent.events.js';
import { agentIssues } from './agent.limits.js';
import {
  agentKind,
  configured,
  unconfigured,
  type AgentPatch,
  type AgentRecord,
  type NewAgent,
} from './agent.state.js';
import { changedAudience, newCustody, requireCustody, requireUnprotected } from '../definition/custody.decide.js';
import {
  changeEvents,
  newRecord,
  nextRecord,
  stampOf,
  type ChangeStamp,
  type DefinitionCommand,
} from '../definition/definition.decide.js';
import { membersMax, requireOwnTags } from '../definition/definition.limits.js';

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
 * Refuses  not_found, permission_denied (custody); blueprint_resource_protected; bad_request;
 *          external_identity_conflict when the reference is set to another value; visibility_change_unconfirmed.
 * Source   rules INV16, INV17, R10, A26, B23, G9.
 */
export function changeAgent(command: DefinitionCommand & { body: AgentPatch }, record: AgentRecord): AgentEvent[] {
  const { who, body } = command;
  requireCustody(record, who);
  requireUnprotected(record);
  const issues = agentIssues(body);
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
  return changeEvents(agentKind, record, { visibility, members, wire: configured(record.wire, body) }, command);
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
