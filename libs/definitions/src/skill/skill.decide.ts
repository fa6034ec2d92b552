import { badRequest, requireCustodian } from '@aos/kernel';
import type { SkillEvent } from './skill.events.js';
import { configuredSkill, emptySkill, skillKind, type SkillBody, type SkillRecord } from './skill.state.js';
import { skillIssues } from './skill.limits.js';
import {
  changedAudience,
  changedOwner,
  newCustody,
  requireCustody,
  requireUnprotected,
} from '../definition/custody.decide.js';
import { requireOwnTags } from '../definition/definition.limits.js';
import { changeEvents, newRecord, stampOf, type DefinitionCommand } from '../definition/definition.decide.js';

/**
 * Makes a new skill. The writer of its record claims the name.
 *
 * Refuses  bad_request; invalid_argument {human_custodian_required}; permission_denied (custody).
 * Source   rules R17, R18, A26, L8, L12.
 */
export function createSkill(command: DefinitionCommand & { id: string; body: SkillBody }): SkillRecord {
  const { who, id, body } = command;
  requireNoIssues(body);
  const custody = newCustody(body, who, 'organization');
  const wire = configuredSkill(emptySkill(body.name, body.instructions), body);
  return newRecord({ id, orgId: who.orgId, type: 'skill', custody, wire }, stampOf(command));
}

/**
 * Replaces a skill by a full body: what is left out is empty; owner and audience that are left out stay.
 *
 * Refuses  not_found, permission_denied (custody); blueprint_resource_protected; bad_request.
 */
export function replaceSkill(command: DefinitionCommand & { body: SkillBody }, record: SkillRecord): SkillEvent[] {
  const { who, body } = command;
  requireCustody(record, who);
  requireUnprotected(record);
  requireNoIssues(body);
  const owner = changedOwner(record, body.owner, who);
  const { visibility } = changedAudience({ ...record, owner }, { visibility: body.visibility, confirmed: true }, who);
  requireCustodian(owner, visibility);
  const wire = configuredSkill(emptySkill(body.name, body.instructions), body);
  return changeEvents(skillKind, record, { owner, visibility, wire }, command);
}

function requireNoIssues(body: SkillBody): void {
  const issues = skillIssues(body);
  if (issues.length > 0) throw badRequest(issues);
  requireOwnTags(body.tags);
}
