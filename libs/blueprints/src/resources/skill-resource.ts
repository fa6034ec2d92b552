import { collectionOf } from '@aos/kernel';
import {
  configuredSkill,
  emptySkill,
  requireOwnTags,
  skillIssues,
  skillKind,
  skillsProjection,
  type DesiredSkill,
} from '@aos/definitions/published';
import { resourceKind, type Entry } from './resource-kind.state.js';

/** Shape `BlueprintSkillInput` of the contract. */
type SkillEntry = Entry & DesiredSkill;

function desired({ key: _key, ...fields }: SkillEntry): DesiredSkill {
  return fields;
}

export const skillResource = resourceKind({
  type: 'skill',
  list: 'skills',
  prefix: 'skill',
  kind: skillKind,
  collection: collectionOf(skillsProjection),
  issues(entry: SkillEntry, at) {
    requireOwnTags(entry.tags);
    return skillIssues(desired(entry), at);
  },
  blank: ({ name }) => emptySkill(name, ''),
  configured: (current, entry) => configuredSkill(current, desired(entry)),
});
