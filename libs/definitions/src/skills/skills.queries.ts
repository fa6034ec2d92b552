import { Injectable } from '@nestjs/common';
import type { QueryOf, Schema } from '@aos/contract';
import { notFound, type Condition, type Identity } from '@aos/kernel';
import { canSee } from '../definition/custody.decide.js';
import { DefinitionLists, type WirePage } from '../definition/definition-lists.js';
import { SkillDirectory } from '../skill/skill-directory.js';
import { skillRecords, skillWire } from '../skill/skill.projection.js';

/** Most rows of a list that is not paged. */
export const wholeListMax = 5000;

@Injectable()
export class SkillQueries {
  constructor(
    private readonly lists: DefinitionLists,
    private readonly skills: SkillDirectory,
  ) {}

  /** There are no built-in skills: with `include_system` true and false give the same. */
  list(who: Identity, filter: QueryOf<'listSkills'>): Promise<WirePage<Schema<'Skill'>>> {
    const where: Condition[] = filter.name === undefined ? [] : [{ index: 'name', eq: filter.name }];
    return this.lists.answer({ list: 'skills', collection: skillRecords, who, where, filter }, (skill) =>
      skillWire(skill, who),
    );
  }

  async get(who: Identity, skillId: string): Promise<Schema<'Skill'>> {
    const skill = await this.skills.skill(who.orgId, skillId);
    if (!skill || !canSee(skill, who)) throw notFound('skill');
    return skillWire(skill, who);
  }
}
