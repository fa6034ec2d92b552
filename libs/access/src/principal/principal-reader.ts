import { Injectable } from '@nestjs/common';
import type { Identity, PrincipalKind } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { OrganizationSalts } from '../organization/salts.js';
import { AgentPrincipals, type AgentAsPrincipal } from './agent-principals.js';
import { looksLikePrincipalId, systemPrincipalId } from './principal.ids.js';
import type { PrincipalRecord, RoleGrant } from './principal.events.js';
import { principalKind } from './principal.state.js';

/** A principal as read outside its own stream. */
export interface FoundPrincipal {
  principal: PrincipalRecord;
  status: 'active' | 'disabled' | 'deleted';
  grants: readonly RoleGrant[];
}

/** What of a principal says which roles it has. */
export interface GrantedPrincipal {
  principal: Pick<PrincipalRecord, 'id' | 'kind'>;
  grants: readonly RoleGrant[];
}

/**
 * Reads principals by id, fresh: stored ones, the organization's own, and agents, which are derived from their
 * directory.
 */
@Injectable()
export class PrincipalReader {
  constructor(
    private readonly decisions: Decisions,
    private readonly salts: OrganizationSalts,
    private readonly agents: AgentPrincipals,
  ) {}

  /** Null for a principal that never existed, is of another organization, or is deleted. */
  async find(orgId: string, principalId: string): Promise<FoundPrincipal | null> {
    if (!looksLikePrincipalId(principalId)) return null;
    if (principalId === systemPrincipalId(orgId)) return this.system(orgId);
    const { state, revision } = await this.decisions.load(principalKind, principalId);
    const { principal, status } = state;
    const grants = [...state.grants.values()];
    if (principal && principal.org_id !== orgId) return null;
    if (principal?.kind === 'agent' || (!principal && principalId.startsWith('agent_')))
      return this.agent(orgId, principalId, status, grants);
    if (revision < 0) this.decisions.forget(principalKind, principalId);
    return principal && status !== 'deleted' ? { principal, status, grants } : null;
  }

  /** Whether the principal of an agent that was just found is active. The agent is not read again. */
  async isEnabledAgent(orgId: string, agentId: string): Promise<boolean> {
    return (await this.enabledAgent(orgId, agentId)) !== null;
  }

  /** The principal of an agent that was just found; null when it is not active. The agent is not read again. */
  async enabledAgent(orgId: string, agentId: string): Promise<GrantedPrincipal | null> {
    const { principal, status, grants } = (await this.decisions.load(principalKind, agentId)).state;
    if (status !== 'active' || (principal && principal.org_id !== orgId)) return null;
    return { principal: { id: agentId, kind: 'agent' }, grants: [...grants.values()] };
  }

  /** Like `find`, for a caller: the principal of an agent out of reach is not found. */
  async findFor(who: Identity, principalId: string): Promise<FoundPrincipal | null> {
    const found = await this.find(who.orgId, principalId);
    return found?.principal.kind === 'agent' && !(await this.agents.isVisible(who, principalId)) ? null : found;
  }

  /** Whether a live agent is within the caller's reach, which administration does not widen (rule A30). */
  reachesAgent(who: Identity, agentId: string): Promise<boolean> {
    return this.agents.reaches(who, agentId);
  }

  /** Kind of a live principal, or null. */
  async kindOf(orgId: string, principalId: string): Promise<PrincipalKind | null> {
    return (await this.find(orgId, principalId))?.principal.kind ?? null;
  }

  /** The permanent organization principal (rule A3). */
  async system(orgId: string): Promise<FoundPrincipal> {
    const { createdAt } = await this.salts.origin(orgId);
    const principal: PrincipalRecord = {
      id: systemPrincipalId(orgId),
      org_id: orgId,
      kind: 'system',
      name: 'Organization',
      description: 'Acts for keys without a principal.',
      email: null,
      owner_id: null,
      metadata: null,
      tags: {},
      created_at: createdAt,
      updated_at: createdAt,
    };
    return { principal, status: 'active', grants: [] };
  }

  private async agent(
    orgId: string,
    principalId: string,
    status: FoundPrincipal['status'],
    grants: RoleGrant[],
  ): Promise<FoundPrincipal | null> {
    const agent = await this.agents.find(orgId, principalId);
    if (!agent || agent.deleted) return null;
    return { principal: derivedFrom(orgId, agent), status, grants };
  }
}

/** The principal of an agent, with the agent's own data (rule A11). */
export function derivedFrom(
  orgId: string,
  { agentId, name, description, createdAt, updatedAt }: AgentAsPrincipal,
): PrincipalRecord {
  return {
    id: agentId,
    org_id: orgId,
    kind: 'agent',
    name,
    description,
    email: null,
    owner_id: null,
    metadata: null,
    tags: {},
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
