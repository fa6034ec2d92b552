import type { RequestBody } from '@aos/contract';
import { definitionKind, text, withoutUnset } from '../definition/definition.state.js';
import type { DefinitionRecord } from '../definition/definition.events.js';
import { skillEvents, type SkillDefinition, type SkillEvent } from './skill.events.js';

export type SkillRecord = DefinitionRecord<SkillDefinition>;

/** Stream `skill-<id>`. */
export const skillKind = definitionKind<SkillDefinition, SkillEvent>({
  category: 'skill',
  events: skillEvents,
  created: (record) => ({ type: 'SkillCreated', data: { record } }),
  changed: (record) => ({ type: 'SkillConfigured', data: { record } }),
  deleted: (record) => ({ type: 'SkillDeleted', data: { record } }),
});

/** Body of `POST /v1/skills` and `PUT /v1/skills/{skill_id}`: a full skill. */
export type SkillBody = RequestBody<'updateSkill'>;

/** What a caller sends about a skill, in the contract's shape: absent keeps, on a new skill absent means empty. */
export type DesiredSkill = Partial<Omit<SkillBody, 'owner' | 'visibility'>>;

export function emptySkill(name: string, instructions: string): SkillDefinition {
  return { name, instructions, allowed_actions: [], required_actions: [], recommended_actions: [], tags: {} };
}

/**
 * The definition that results from a definition and what a caller wants; pure, so that a preview says exactly what an
 * apply does.
 */
export function configuredSkill(current: SkillDefinition, desired: DesiredSkill): SkillDefinition {
  const allowed = desired.allowed_actions ?? desired.allowed_tools;
  return withoutUnset({
    name: desired.name ?? current.name,
    title: text(desired.title, current.title),
    description: text(desired.description, current.description),
    instructions: desired.instructions ?? current.instructions,
    allowed_actions: allowed ? [...allowed] : current.allowed_actions,
    required_actions: desired.required_actions ? [...desired.required_actions] : current.required_actions,
    recommended_actions: desired.recommended_actions ? [...desired.recommended_actions] : current.recommended_actions,
    tags: desired.tags ? { ...desired.tags } : current.tags,
  });
}
