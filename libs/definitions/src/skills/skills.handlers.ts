import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestBody, Schema } from '@aos/contract';
import { Clock, Ids, notFound, rfc3339 } from '@aos/kernel';
import { CallerCommand } from '@aos/platform';
import { agentDecider } from '../agent.decider.js';
import { agentRecords } from '../agent/agent.projection.js';
import { DefinitionLists } from '../definition/definition-lists.js';
import { canSee, sameOwner } from '../definition/custody.decide.js';
import { People } from '../definition/people.js';
import { SkillDirectory } from '../skill/skill-directory.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { skillKind } from '../skill/skill.state.js';
import { skillDecider } from '../skill.decider.js';
import { createSkill } from '../skill/skill.decide.js';
import { skillWire } from '../skill/skill.projection.js';

export class CreateSkill extends CallerCommand<{ body: RequestBody<'createSkill'> }, Schema<'Skill'>> {}

export class ReplaceSkill extends CallerCommand<
  { skill_id: string; body: RequestBody<'updateSkill'> },
  Schema<'Skill'>
> {}

export class DeleteSkill extends CallerCommand<{ skill_id: string }, void> {}

@CommandHandler(CreateSkill)
export class CreateSkillHandler implements ICommandHandler<CreateSkill> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly people: People,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input: { body } }: CreateSkill) {
    const skill = createSkill({ who, at: rfc3339(this.clock.now()), id: `skill_${this.ids.ulid()}`, body });
    await this.people.require(who, body);
    const { record } = await this.writer.create(skillKind, skill, who);
    return skillWire(record, who);
  }
}

@CommandHandler(ReplaceSkill)
export class ReplaceSkillHandler implements ICommandHandler<ReplaceSkill> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly skills: SkillDirectory,
    private readonly people: People,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { skill_id: skillId, body } }: ReplaceSkill) {
    const known = await this.skills.skill(who.orgId, skillId);
    if (!known || !canSee(known, who)) throw notFound('skill');
    await this.people.require(who, { owner: sameOwner(known.owner, body.owner) ? undefined : body.owner });
    const at = rfc3339(this.clock.now());
    const { record } = await this.writer.decide(skillDecider.replaceSkill, who, skillId, { who, at, body });
    return skillWire(record, who);
  }
}

/**
 * The skill leaves every agent too. A reader never counts a deleted skill, so an agent that keeps its id for a while is
 * no harm.
 */
@CommandHandler(DeleteSkill)
export class DeleteSkillHandler implements ICommandHandler<DeleteSkill> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly lists: DefinitionLists,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { skill_id: skillId } }: DeleteSkill): Promise<void> {
    const at = rfc3339(this.clock.now());
    await this.writer.decide(skillDecider.deleteSkill, who, skillId, { who, at });
    const stamp = { principalId: who.principalId, at };
    for await (const { id } of this.lists.all(agentRecords, who.orgId, [{ index: 'skill', has: skillId }])) {
      await this.writer.decideIfLive(agentDecider.takeSkillOff, who, id, { skillId, stamp });
    }
  }
}
