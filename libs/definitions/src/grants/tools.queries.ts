import { Injectable } from '@nestjs/common';
import type { QueryOf, Schema } from '@aos/contract';
import { canonicalJson, impliedPermissions, invalidArgument, notFound, sha256Hex, type Identity } from '@aos/kernel';
import { AgentDirectory } from '../agent/agent-directory.js';
import { postureFor } from '../definition/custody.decide.js';
import { SkillDirectory } from '../skill/skill-directory.js';
import { ActionCatalog } from './action-catalog.js';
import type { CatalogAction } from './catalog-action.wire.js';
import { manifest, shownTo, withinAgentReach } from './tools.decide.js';

@Injectable()
export class ToolQueries {
  constructor(
    private readonly agents: AgentDirectory,
    private readonly skills: SkillDirectory,
    private readonly catalog: ActionCatalog,
  ) {}

  /** The tools that an agent can call now; `allowed_tools` has names between commas. */
  async ofAgent(
    who: Identity,
    agentId: string,
    filter: QueryOf<'getAgentTools'>,
  ): Promise<Schema<'AgentToolManifest'>> {
    const agent = await this.agents.agent(who.orgId, agentId);
    if (!agent || agent.deleted || !this.agents.canSee(agent, who)) throw notFound('agent');
    const [skills, actions] = await Promise.all([
      this.skills.skills(who.orgId, agent.wire.skill_ids),
      this.catalog.actions(who.orgId),
    ]);
    const invoked = filter.skill_name === undefined ? null : skills.find(({ wire }) => wire.name === filter.skill_name);
    if (invoked === undefined) throw invalidArgument('skill_name', 'the agent has no such skill');
    const only =
      filter.allowed_tools === undefined
        ? null
        : filter.allowed_tools
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== '');
    const asAgent = {
      orgId: who.orgId,
      principalId: agent.id,
      kind: 'agent' as const,
      permissions: impliedPermissions(['svc.resource.use']),
    };
    const reached = actions.filter((action) => withinAgentReach(action, agent.owner, asAgent));
    const found = manifest(agent.wire, skills, reached, invoked, only);
    return {
      agent_id: agent.id,
      policy_hash: sha256Hex(canonicalJson([found.actions, found.skills, agent.wire.tool_presentation])),
      tools: found.actions.map((action) => actionWire(action, who)),
      groups_resolved: found.groups,
      skills: found.skills,
      warnings: found.warnings,
    };
  }
}

/** A catalog entry as the contract shows it to this caller. */
export function actionWire(action: CatalogAction, who: Identity): Schema<'ActionCatalogEntry'> {
  const { owner, visibility, ...rest } = action;
  const wire = { ...rest };
  if (!owner) return wire;
  if (!shownTo(action, who)) delete wire.endpoint_url; // an agent's tool that its readers cannot see by themselves
  const custody = {
    id: action.id ?? '',
    org_id: who.orgId,
    owner,
    visibility: visibility ?? 'organization',
    members: [],
  };
  return {
    ...wire,
    owner: { ...owner },
    visibility: custody.visibility,
    container: null,
    posture: postureFor(custody, who),
  };
}
