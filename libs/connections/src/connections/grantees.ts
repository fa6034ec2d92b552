import { Injectable } from '@nestjs/common';
import { impliedPermissions, invalidArgument, type Identity, type Viewer } from '@aos/kernel';
import { PrincipalReader } from '@aos/access/published';
import {
  ActionCatalog,
  AgentDirectory,
  resolveGrant,
  shownTo,
  withinAgentReach,
  type CatalogAction,
} from '@aos/definitions/published';
import type { ConnectionGrants, ConnectionRecord, GrantedAction } from '../connection/connection.events.js';
import { coveredActionsMax } from '../connection/connection.limits.js';

/** What grants of a connection say, worked out when they are given (rule TE23). */
@Injectable()
export class Grantees {
  constructor(
    private readonly principals: PrincipalReader,
    private readonly agents: AgentDirectory,
    private readonly catalog: ActionCatalog,
  ) {}

  /**
   * Gives    the grants; of a person's own connection with the provider's actions that each grantee could call now.
   * Refuses  invalid_argument {argument: principal_ids} for a principal that is not there for the caller, and for more
   *          actions than one connection covers.
   */
  async of(
    who: Identity,
    { owner, provider }: ConnectionRecord,
    { principal_ids: ids, everyone }: Pick<ConnectionGrants, 'principal_ids' | 'everyone'>,
  ): Promise<ConnectionGrants> {
    for (const id of ids)
      if (!(await this.principals.findFor(who, id)))
        throw invalidArgument('principal_ids', 'no such principal', { reason: 'unknown_principal', principal_id: id });
    const grants = { principal_ids: [...ids], everyone, actions: [] };
    if (owner.kind === 'team' || provider === null || ids.length === 0) return grants;
    const offered = (await this.catalog.actions(who.orgId)).filter((action) => action.provider === provider);
    const covered: GrantedAction[] = [];
    for (const id of ids)
      for (const { name, endpoint_url: url } of await this.callable(who, id, offered))
        covered.push({ principal_id: id, name, endpoint_url: url ?? null });
    if (covered.length > coveredActionsMax)
      throw invalidArgument('principal_ids', `the grants of an account cover ${coveredActionsMax} actions at most`);
    return { ...grants, actions: covered };
  }

  private async callable(who: Identity, id: string, offered: readonly CatalogAction[]): Promise<CatalogAction[]> {
    const agent = await this.agents.agent(who.orgId, id);
    if (!agent) return offered.filter((action) => shownTo(action, who));
    const permissions = impliedPermissions(['svc.resource.use']);
    const reacher: Viewer = { orgId: who.orgId, principalId: id, kind: 'agent', permissions };
    return resolveGrant(agent.wire.action_selectors, offered).actions.filter((action) =>
      withinAgentReach(action, agent.owner, reacher),
    );
  }
}
