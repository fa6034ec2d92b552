import { badRequest, type Identity } from '@aos/kernel';
import type { SkillEvent } from './skill.events.js';
import { configuredSkill, emptySkill, type SkillBody, type SkillRecord } from './skill.state.js';
import { skillIssues } from './skill.limits.js';
import {
  changedAudience,
  changedOwner,
  newCustody,
  requireCustodian,
  requireCustody,
  requireUnprotected,
} from '../definition/custody.decide.js';
import { requireOwnTags } from '../definition/definition.limits.js';
import { newRecord, nextRecord } from '../definition/definition.decide.js';
import { differingFields } from '../definition/differences.decide.js';

export interface SkillCommand {
  who: Identity;
  /** RFC 3339. */
  at: string;
}

/**
 * Makes a new skill. The writer of its record claims the name.
 *
 * Refuses  bad_request; invalid_argument {human_custodian_required}; permission_denied (custody).
 * Source   rules R17, R18, A26, L8, L12.
 */
export function createSkill(command: SkillCommand & { id: string; body: SkillBody }): SkillRecord {
  const { who, at, id, body } = command;
  requireNoIssues(body);
  const custody = newCustody(body, who, 'organization');
  const wire = configuredSkill(emptySkill(body.name, body.instructions), body);
  return newRecord({ id, orgId: who.orgId, type: 'skill', custody, wire }, { principalId: who.principalId, at });
}

/**
 * Replaces a skill by a full body: what is left out is empty; owner and audience that are left out stay.
 *
 * Refuses  not_found, permission_denied (custody); blueprint_resource_protected; bad_request.
 */
export function replaceSkill(command: SkillCommand & { body: SkillBody }, record: SkillRecord): SkillEvent[] {
  const { who, at, body } = command;
  requireCustody(record, who);
  requireUnprotected(record);
  requireNoIssues(body);
  const owner = changedOwner(record, body.owner, who);
  const { visibility } = changedAudience({ ...record, owner }, { visibility: body.visibility, confirmed: true }, who);
  requireCustodian(owner, visibility);
  const wire = configuredSkill(emptySkill(body.name, body.instructions), body);
  const moved = owner !== record.owner || visibility !== record.visibility;
  if (!moved && differingFields(record.wire, wire).length === 0) return [];
  return [
    {
      type: 'SkillConfigured',
      data: { record: nextRecord(record, { owner, visibility, wire }, { principalId: who.principalId, at }) },
    },
  ];
}

/** Deletes a skill: its name is free again; it is taken off every agent afterwards. */
export function deleteSkill(command: SkillCommand, record: SkillRecord): SkillEvent[] {
  const { who, at } = command;
  requireCustody(record, who);
  requireUnprotected(record);
  return [
    {
      type: 'SkillDeleted',
      data: { record: nextRecord(record, { deleted_at: at }, { principalId: who.principalId, at }) },
    },
  ];
}

function requireNoIssues(body: SkillBody): void {
  const issues = skillIssues(body);
  if (issues.length > 0) throw badRequest(issues);
  requireOwnTags(body.tags);
}
