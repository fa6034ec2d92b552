import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { RequestBody, Schema } from '@aos/contract';
import { Clock, Ids, Refusal, badRequest, rfc3339, type Identity } from '@aos/kernel';
import { CallerCommand, ReleaseWrites, Settings } from '@aos/platform';
import { agentDecider } from '../agent.decider.js';
import { adoptAgent } from '../agent/agent.decide.js';
import { dispositionIssues } from '../agent/agent.limits.js';
import { agentWire } from '../agent/agent.projection.js';
import { agentKind } from '../agent/agent.state.js';
import { FollowUps } from '../agent/follow-ups.js';
import { canSee, requireCustody } from '../definition/custody.decide.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { Claims, nameTaken } from '../names/claims.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { agentResource } from '../resources/agent-resource.js';
import { ResourceServices } from '../resources/resource-services.js';
import { SkillDirectory } from '../skill/skill-directory.js';
import { assignmentsWire } from './assignments.js';

export interface CreatedAgent {
  agent: Schema<'Agent'>;
  /** False for an adopted one. */
  created: boolean;
}

/** Creates an agent, or adopts the one that has its reference: `CreateDefinition` of a kind that can be adopted. */
export class CreateAgent extends CallerCommand<{ body: RequestBody<'createAgent'> }, CreatedAgent> {}

/** Changes an agent, and with its audience what the body's dispositions name. */
export class ChangeAgentAudience extends CallerCommand<
  { agent_id: string; body: RequestBody<'updateAgent'> },
  Schema<'Agent'>
> {}

export class AssignSkills extends CallerCommand<
  { agent_id: string; skill_ids: string[] },
  Schema<'SkillAssignmentListResponse'>
> {}

export class ProvisionInbox extends CallerCommand<{ agent_id: string }, Schema<'Agent'>> {}

@CommandHandler(CreateAgent)
export class CreateAgentHandler implements ICommandHandler<CreateAgent> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly claims: Claims,
    private readonly services: ResourceServices,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input: { body } }: CreateAgent): Promise<CreatedAgent> {
    const id = `${agentResource.prefix}_${this.ids.ulid()}`;
    const record = agentResource.create({ who, at: rfc3339(this.clock.now()), id, body });
    const known = await this.known(who, body);
    if (known) return known;
    await agentResource.checkNew(this.services, who, body);
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

@CommandHandler(ChangeAgentAudience)
export class ChangeAgentAudienceHandler implements ICommandHandler<ChangeAgentAudience> {
  constructor(
    private readonly writer: DefinitionWriter,
    private readonly streams: DefinitionStreams,
    private readonly services: ResourceServices,
    private readonly followUps: FollowUps,
    private readonly writes: ReleaseWrites,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** Refuses what a change of an agent refuses; what `FollowUps.judge` refuses; upgrade_pending. */
  async execute({ who, input: { agent_id: agentId, body } }: ChangeAgentAudience) {
    const known = await this.streams.visible(agentKind, who, agentId);
    requireCustody(known, who);
    this.writes.requireFeature('ownership');
    const { affected_resource_dispositions: dispositions = [] } = body;
    const issues = dispositionIssues(dispositions);
    if (issues.length > 0) throw badRequest(issues);
    await agentResource.checkChange?.(this.services, who, body, known);
    await this.followUps.judge(who, dispositions);
    const command = { who, at: rfc3339(this.clock.now()), body, followUpId: this.ids.ulid() };
    const { record } = await this.writer.decide(agentDecider.changeAgent, who, agentId, command);
    if (record.follow_ups) await this.followUps.carryOutOrLeave(who.orgId, agentId);
    return agentWire(record, who);
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
    await this.streams.visible(agentKind, who, agentId);
    await this.skills.require(who, skillIds);
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
