import type { Schema } from '@aos/contract';
import { agentDecider } from '../agent.decider.js';
import { agentRecords } from '../agent/agent.projection.js';
import { sameOwner } from '../definition/custody.decide.js';
import { skillDecider } from '../skill.decider.js';
import { createSkill } from '../skill/skill.decide.js';
import type { SkillDefinition } from '../skill/skill.events.js';
import { skillWire, skillsProjection } from '../skill/skill.projection.js';
import { configuredSkill, emptySkill, skillKind, type DesiredSkill, type SkillBody } from '../skill/skill.state.js';
import { requireOwnTags } from '../definition/definition.limits.js';
import { skillIssues } from '../skill/skill.limits.js';
import type { ResourceKind } from './resource-kind.js';

type SkillEntry = Schema<'BlueprintSkillInput'>;

function desired({ key: _key, ...fields }: SkillEntry): DesiredSkill {
  return fields;
}

export const skillResource: ResourceKind<{
  definition: SkillDefinition;
  created: SkillBody;
  changed: SkillBody;
  wire: Schema<'Skill'>;
  entry: SkillEntry;
}> = {
  type: 'skill',
  list: 'skills',
  prefix: 'skill',
  kind: skillKind,
  projection: skillsProjection,
  knownBy: 'id',
  // there are no built-in skills: with `include_system` true and false give the same
  filters: { name: 'name' },
  wire: skillWire,
  create: createSkill,
  change: skillDecider.replaceSkill,
  delete: skillDecider.deleteSkill,
  checkNew: ({ people }, who, body) => people.require(who, body),
  checkChange: ({ people }, who, { owner }, known) =>
    people.require(who, { owner: sameOwner(known.owner, owner) ? undefined : owner }),
  /** A reader never counts a deleted skill, so an agent that keeps its id for a while is no harm. */
  async removeReferences({ lists, writer }, who, skillId, stamp) {
    for await (const { id } of lists.all(agentRecords, who.orgId, [{ index: 'skill', has: skillId }])) {
      await writer.decideIfLive(agentDecider.takeSkillOff, who, id, { skillId, stamp });
    }
  },
  blueprint: {
    issues(entry, at) {
      requireOwnTags(entry.tags);
      return skillIssues(desired(entry), at);
    },
    blank: ({ name }) => emptySkill(name, ''),
    configured: (current, entry) => configuredSkill(current, desired(entry)),
  },
};
