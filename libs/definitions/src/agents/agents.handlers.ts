import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestBody, Schema } from '@aos/contract';
import { Clock, Ids, Refusal, invalidArgument, notFound, rfc3339, type Identity } from '@aos/kernel';
import { CallerCommand, Settings } from '@aos/platform';
import { agentDecider } from '../agent.decider.js';
import { agentKind, type AgentRecord } from '../agent/agent.state.js';
import { canSee } from '../definition/custody.decide.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { People } from '../definition/people.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { Claims, nameTaken } from '../names/claims.js';
import { SkillDirectory } from '../skill/skill-directory.js';
import { adoptAgent, createAgent } from '../agent/agent.decide.js';
import { agentWire } from '../agent/agent.projection.js';
import { assignmentsWire } from './assignments.js';

export interface CreatedAgent {
  agent: Schema<'Agent'>;
  /** False for an adopted one. */
  created: boolean;
}

export class CreateAgent extends CallerCommand<{ body: RequestBody<'createAgent'> }, CreatedAgent> {}

export class ChangeAgent extends CallerCommand<
  { agent_id: string; body: RequestBody<'updateAgent'> },
  Schema<'Agent'>
> {}

export class DeleteAgent extends CallerCommand<{ agent_id: string }, void> {}

export class AssignSkills extends CallerCommand<
  { agent_id: string; skill_ids: string[] },
  Schema<'SkillAssignmentListResponse'>
> {}

export class ProvisionInbox extends CallerCommand<{ agent_id: string }, Schema<'Agent'>> {}

/** Skills that an agent is given exist and are within its author's reach. */
export async function requireSkills(
  skills: SkillDirectory,
  who: Identity,
  skillIds: readonly string[] | undefined,
): Promise<void> {
  if (!skillIds || skillIds.length === 0) return;
  const reachable = new Set(
    (await skills.skills(who.orgId, skillIds)).filter((skill) => canSee(skill, who)).map(({ id }) => id),
  );
  const missing = skillIds.find((id) => !reachable.has(id));
  if (missing !== undefined)
    throw invalidArgument('skill_ids', 'no such skill', { reason: 'unknown_skill', skill_id: missing });
}

@CommandHandler(CreateAgent)
export class CreateAgentHandler implements ICommandHandler<CreateAgent> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly claims: Claims,
    private readonly skills: SkillDirectory,
    private readonly people: People,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input: { body } }: CreateAgent): Promise<CreatedAgent> {
    const record = createAgent({ who, at: rfc3339(this.clock.now()), id: `agent_${this.ids.ulid()}`, body });
    const known = await this.known(who, body);
    if (known) return known;
    await this.people.require(who, body);
    await requireSkills(this.skills, who, body.skill_ids);
    try {
      const made = await this.writer.create(agentKind, record, who);
      return { agent: agentWire(made.record, who), created: true };
    } catch (error) {
      // A concurrent request may have created the agent: an adopting create then finds its match.
      const meanwhile = error instanceof Refusal ? await this.known(who, body) : null;
      if (meanwhile) return meanwhile;
      throw error;
    }
  }

  /** What a taken reference means for this create (rule R9). */
  private async known(who: Identity, body: RequestBody<'createAgent'>): Promise<CreatedAgent | null> {
    if (body.external_ref === undefined) return null;
    const holder = await this.claims.holderOfRef(agentKind, who.orgId, body.external_ref);
    if (!holder) return null;
    const { record } = holder;
    if (body.if_exists === 'adopt' || record.deleted_at !== null || !canSee(record, who)) {
      const adopting = body.if_exists === 'adopt' && canSee(record, who);
      return { agent: agentWire(adoptAgent(record, body.name, adopting), who), created: false };
    }
    throw nameTaken(record.id);
  }
}

@CommandHandler(ChangeAgent)
export class ChangeAgentHandler implements ICommandHandler<ChangeAgent> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly streams: DefinitionStreams,
    private readonly skills: SkillDirectory,
    private readonly people: People,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { agent_id: agentId, body } }: ChangeAgent) {
    await visibleAgent(this.streams, who, agentId);
    await this.people.require(who, { members: body.members });
    await requireSkills(this.skills, who, body.skill_ids);
    const at = rfc3339(this.clock.now());
    const { record } = await this.writer.decide(agentDecider.changeAgent, who, agentId, { who, at, body });
    return agentWire(record, who);
  }
}

@CommandHandler(DeleteAgent)
export class DeleteAgentHandler implements ICommandHandler<DeleteAgent> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { agent_id: agentId } }: DeleteAgent): Promise<void> {
    const at = rfc3339(this.clock.now());
    await this.writer.decide(agentDecider.deleteAgent, who, agentId, { who, at });
  }
}

@CommandHandler(AssignSkills)
export class AssignSkillsHandler implements ICommandHandler<AssignSkills> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly streams: DefinitionStreams,
    private readonly skills: SkillDirectory,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { agent_id: agentId, skill_ids: skillIds } }: AssignSkills) {
    await visibleAgent(this.streams, who, agentId);
    await requireSkills(this.skills, who, skillIds);
    const at = rfc3339(this.clock.now());
    const { record } = await this.writer.decide(agentDecider.assignSkills, who, agentId, { who, at, skillIds });
    return assignmentsWire(record, await this.skills.skills(who.orgId, record.wire.skill_ids), who);
  }
}

@CommandHandler(ProvisionInbox)
export class ProvisionInboxHandler implements ICommandHandler<ProvisionInbox> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { agent_id: agentId } }: ProvisionInbox) {
    const at = rfc3339(this.clock.now());
    const command = { who, at, domain: this.settings.inboxDomain };
    const { record } = await this.writer.decide(agentDecider.provisionInbox, who, agentId, command);
    return agentWire(record, who);
  }
}

/** The live agent within a caller's reach, or 404. */
export async function visibleAgent(streams: DefinitionStreams, who: Identity, agentId: string): Promise<AgentRecord> {
  const latest = await streams.latest(agentKind, who.orgId, agentId);
  if (!latest || latest.record.deleted_at !== null || !canSee(latest.record, who)) throw notFound('agent');
  return latest.record;
}
