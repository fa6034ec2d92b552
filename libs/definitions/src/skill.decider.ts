import { changeCustody, deleteDefinition } from './definition/definition.decide.js';
import { definitionDecider } from './definition/definition.decider.js';
import { ofLive } from './definition/live.decide.js';
import { skillKind } from './skill/skill.state.js';
import { replaceSkill } from './skill/skill.decide.js';

/** What can happen to a skill; `creationDecider` has its creation. */
export const skillDecider = definitionDecider(skillKind, {
  replaceSkill: ofLive(replaceSkill),
  changeSkillCustody: ofLive(changeCustody(skillKind)),
  deleteSkill: ofLive(deleteDefinition(skillKind)),
});
