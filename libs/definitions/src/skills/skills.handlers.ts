import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Ids, notFound, rfc3339, type Identity, type JsonObject, collectionOf } from '@aos/kernel';
import type { AgentDefinition } from '../agent/agent.events.js';
import { agentKind } from '../agent/agent.state.js';
import { takeSkillOff } from '../agent/agent.decide.js';
import { agentsProjection } from '../agent/agent.projection.js';
import { DefinitionLists } from '../definition/definition-lists.js';
import { canSee, sameOwner } from '../definition/custody.decide.js';
import { People } from '../definition/people.js';
import { SkillDirectory } from '../skill/skill-directory.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { skillKind, type SkillBody } from '../skill/skill.state.js';
import { createSkill, deleteSkill, replaceSkill } from './skills.decide.js';
import { skillWire } from '../skill/skill.projection.js';

export class CreateSkill extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly body: SkillBody,
  ) {
    super();
  }
}

export class ReplaceSkill extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly skillId: string,
    readonly body: SkillBody,
  ) {
    super();
  }
}

export class DeleteSkill extends Command<void> {
  constructor(
    readonly who: Identity,
    readonly skillId: string,
  ) {
    super();
  }
}

@CommandHandler(CreateSkill)
export class CreateSkillHandler implements ICommandHandler<CreateSkill> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly people: People,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, body }: CreateSkill): Promise<JsonObject> {
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

  async execute({ who, skillId, body }: ReplaceSkill): Promise<JsonObject> {
    const known = await this.skills.skill(who.orgId, skillId);
    if (!known || !canSee(known, who)) throw notFound('skill');
    await this.people.require(who, { owner: sameOwner(known.owner, body.owner) ? undefined : body.owner });
    const at = rfc3339(this.clock.now());
    const { record } = await this.writer.change(skillKind, who, skillId, (skill) =>
      replaceSkill({ who, at, body }, skill),
    );
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

  async execute({ who, skillId }: DeleteSkill): Promise<void> {
    const at = rfc3339(this.clock.now());
    await this.writer.change(skillKind, who, skillId, (skill) => deleteSkill({ who, at }, skill));
    const stamp = { principalId: who.principalId, at };
    for await (const { id } of this.lists.all<AgentDefinition>(collectionOf(agentsProjection), who.orgId, [
      { index: 'skill', has: skillId },
    ])) {
      await this.writer.changeIfLive(agentKind, who, id, (agent) => takeSkillOff(agent, skillId, stamp));
    }
  }
}
