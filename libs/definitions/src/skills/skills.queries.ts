import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound, type Condition, type Identity, type JsonObject, collectionOf } from '@aos/kernel';
import { canSee } from '../definition/custody.decide.js';
import { DefinitionLists, type PageFilter } from '../definition/definition-lists.js';
import type { SkillDefinition } from '../skill/skill.events.js';
import { SkillDirectory } from '../skill/skill-directory.js';
import { skillWire, skillsProjection } from '../skill/skill.projection.js';

export interface SkillFilter extends PageFilter {
  name?: string;
  /** There are no built-in skills: true and false give the same. */
  include_system?: boolean;
}

/** Most rows of a list that is not paged. */
export const wholeListMax = 5000;

export class ListSkills extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly filter: SkillFilter,
  ) {
    super();
  }
}

export class GetSkill extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly skillId: string,
  ) {
    super();
  }
}

@QueryHandler(ListSkills)
export class ListSkillsHandler implements IQueryHandler<ListSkills> {
  constructor(private readonly lists: DefinitionLists) {}

  async execute({ who, filter }: ListSkills): Promise<JsonObject> {
    const where: Condition[] = filter.name === undefined ? [] : [{ index: 'name', eq: filter.name }];
    const list = { list: 'skills', collection: collectionOf(skillsProjection), who, where, filter };
    return this.lists.answer<SkillDefinition>(list, (skill) => skillWire(skill, who));
  }
}

@QueryHandler(GetSkill)
export class GetSkillHandler implements IQueryHandler<GetSkill> {
  constructor(private readonly skills: SkillDirectory) {}

  async execute({ who, skillId }: GetSkill): Promise<JsonObject> {
    const skill = await this.skills.skill(who.orgId, skillId);
    if (!skill || !canSee(skill, who)) throw notFound('skill');
    return skillWire(skill, who);
  }
}
