import { Injectable } from '@nestjs/common';
import { impliedPermissions, type Viewer } from '@aos/kernel';
import {
  ActionCatalog,
  SkillDirectory,
  narrowedBySkills,
  resolveGrant,
  withinAgentReach,
  type AgentRecord,
  type CatalogAction,
} from '@aos/definitions/published';

/**
 * An agent as the one that the reach of its tools is judged by: whom its turn acts for does not matter there (rule
 * A24).
 */
export function toolReacher(orgId: string, agentId: string): Viewer {
  return { orgId, principalId: agentId, kind: 'agent', permissions: impliedPermissions(['svc.resource.use']) };
}

/**
 * The actions that an agent is granted: those of the present catalog that its selectors match, within its reach. Each
 * call reads them afresh.
 */
@Injectable()
export class AgentGrant {
  constructor(
    private readonly catalog: ActionCatalog,
    private readonly skills: SkillDirectory,
  ) {}

  /** In order of name. */
  async actions(agent: AgentRecord, who: Viewer): Promise<CatalogAction[]> {
    const { action_selectors: selectors } = agent.wire;
    if (selectors.length === 0) return [];
    const named = selectors.every(namesOne);
    const catalog = named
      ? await this.named(
          who.orgId,
          selectors.map(({ selector }) => selector.trim()),
        )
      : await this.catalog.actions(who.orgId);
    return resolveGrant(selectors, catalog).actions.filter((action) => withinAgentReach(action, agent.owner, who));
  }

  /**
   * The action of this name if the agent is granted it: judged by its own record, not by a list that may be on its way
   * back after a loss.
   */
  async action(agent: AgentRecord, who: Viewer, name: string): Promise<CatalogAction | null> {
    const found = await this.catalog.action(who.orgId, name);
    return found &&
      resolveGrant(agent.wire.action_selectors, [found]).actions.length > 0 &&
      withinAgentReach(found, agent.owner, who)
      ? found
      : null;
  }

  /** Without what the skills that the turn invoked take away (rule R19). */
  async narrowed(
    orgId: string,
    granted: readonly CatalogAction[],
    invokedSkills: readonly string[],
  ): Promise<CatalogAction[]> {
    return narrowedBySkills(granted, await this.skills.skills(orgId, invokedSkills));
  }

  /** Exact names need no look at the whole catalog. */
  private async named(orgId: string, names: readonly string[]): Promise<CatalogAction[]> {
    const found = await Promise.all([...new Set(names)].sort().map((name) => this.catalog.action(orgId, name)));
    return found.filter((action) => action !== null);
  }
}

/** Whether a selector names at most one action, by its whole name. */
function namesOne({ selector_type: type, selector }: AgentRecord['wire']['action_selectors'][number]): boolean {
  const name = selector.trim();
  return type === 'exact' || (type === 'custom' && name !== '' && name !== '*');
}
