import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { audienceGrows, notFound, type Identity } from '@aos/kernel';
import { PrincipalReader } from '@aos/access/published';
import {
  AgentDirectory,
  MemoryReader,
  People,
  SkillDirectory,
  canSee,
  changedAudience,
  mayChange,
  narrows,
  requireCustody,
  type AgentRecord,
} from '@aos/definitions/published';
import { AgentSessions, type SharedSession } from '@aos/sessions/published';
import { actionsOf } from './dispositions.decide.js';
import { StrandedPeople } from './stranded-people.js';

type Affected = Schema<'AgentVisibilityAffectedResource'>;

/** Entries of the shared partition that a preview counts; people that it looks at and names; resources in it. */
const entriesMax = 1_000_000;
const peopleMax = 10_000;
const namedMax = 100;
const resourcesMax = 100;

/** What a change of an agent's audience would do (rule TE11). */
@Injectable()
export class ImpactQueries {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly people: People,
    private readonly principals: PrincipalReader,
    private readonly stranded: StrandedPeople,
    private readonly memory: MemoryReader,
    private readonly skills: SkillDirectory,
    private readonly sessions: AgentSessions,
  ) {}

  /** Refuses not_found, permission_denied, bad_request, invalid_argument: as the change itself would. */
  async preview(
    who: Identity,
    agentId: string,
    { visibility, members }: QueryOf<'previewAgentVisibilityChange'>,
  ): Promise<Reply<'previewAgentVisibilityChange'>> {
    const agent = await this.agents.agent(who.orgId, agentId);
    if (!agent || agent.deleted) throw notFound('agent');
    requireCustody(agent, who);
    const wanted = members === undefined ? undefined : idsIn(members);
    await this.people.require(who, { members: wanted, had: agent.members });
    const after = { ...agent, ...changedAudience(agent, { visibility, members: wanted, confirmed: true }, who) };
    const change = { before: agent, after: [after] };
    const withPartition = await this.stranded.withPartition(change, peopleMax);
    const withSessions = await this.stranded.withSessions(change, peopleMax);
    let strandedSessions = 0;
    for (const id of withSessions) strandedSessions += await this.sessions.countOf(who.orgId, agentId, id);
    return {
      agent_id: agentId,
      from: agent.visibility,
      to: after.visibility,
      widening: audienceGrows(agent, after.visibility),
      shared_entry_count: await this.memory.size(who.orgId, agentId, '', entriesMax),
      dropped_members: agent.members.filter((id) => !after.members.includes(id)),
      stranded_principals: await this.nameable(who, [...new Set([...withPartition, ...withSessions])]),
      stranded_partitions: withPartition.length,
      stranded_sessions: strandedSessions,
      affected_resources: narrows(agent, after) ? await this.affected(who, agent) : [],
    };
  }

  /** The people among them whom the caller may see as principals; the counts are whole. */
  private async nameable(who: Identity, ids: readonly string[]): Promise<string[]> {
    const named: string[] = [];
    for (const id of [...ids].sort()) {
      if (named.length === namedMax) break;
      if (await this.principals.findFor(who, id)) named.push(id);
    }
    return named;
  }

  private async affected(who: Identity, agent: AgentRecord): Promise<Affected[]> {
    const skills = (await this.skills.skills(who.orgId, agent.wire.skill_ids))
      .filter((skill) => canSee(skill, who))
      .slice(0, resourcesMax)
      .map((skill): Affected => {
        const { id, owner, visibility, wire } = skill;
        return {
          resource_type: 'skill',
          resource_id: id,
          name: wire.name,
          resource_class: 'configuration',
          relationship: 'delegation',
          visibility: visibility === 'private' ? 'private' : 'organization',
          allowed_actions: mayChange(skill, who) && !skill.protected ? actionsOf('skill', owner) : [],
        };
      });
    const sessions = await this.sessions.shared(who, agent.id, resourcesMax - skills.length);
    return [...skills, ...sessions.map((session) => sessionAffected(who, session))];
  }
}

function sessionAffected(who: Identity, { id, title, owner }: SharedSession): Affected {
  const isCustodian = owner.kind === 'person' || who.permissions.has('svc.org.admin');
  return {
    resource_type: 'session',
    resource_id: id,
    ...(title !== '' && { name: title }),
    resource_class: 'conversation',
    relationship: 'container',
    visibility: 'organization',
    allowed_actions: isCustodian ? actionsOf('session', owner) : [],
  };
}

function idsIn(members: string): string[] {
  return members
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}
