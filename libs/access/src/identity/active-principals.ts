import { Injectable } from '@nestjs/common';
import {
  impliedPermissions,
  invalidArgument,
  type Identity,
  type Owner,
  type PrincipalKind,
  type Viewer,
} from '@aos/kernel';
import { PrincipalReader, type FoundPrincipal, type GrantedPrincipal } from '../principal/principal-reader.js';
import { Granted } from './granted.js';

/** The most that an agent may do, with any roles (rule A32). */
const agentsMost = impliedPermissions(['svc.resource.use']);

/** An agent that may act now. */
export interface EnabledAgent {
  /** With what it may do. */
  viewer(): Promise<Viewer>;
}

/** Present permissions of principals that act without a key: agents, and the principals that turns act for. */
@Injectable()
export class ActivePrincipals {
  constructor(
    private readonly principals: PrincipalReader,
    private readonly granted: Granted,
  ) {}

  /**
   * The principal with its permissions now; null when it is disabled, deleted, or of another organization. Throws
   * `StoreUnavailable`.
   */
  async find(orgId: string, principalId: string): Promise<Viewer | null> {
    const found = await this.active(orgId, principalId);
    return found && this.viewer(orgId, found);
  }

  /** Kind of a principal that `find` would give, without working out its permissions; else null. */
  async activeKind(orgId: string, principalId: string): Promise<PrincipalKind | null> {
    return (await this.active(orgId, principalId))?.principal.kind ?? null;
  }

  /**
   * Refuses invalid_argument {argument: owner} for an owner whom a body names and who is no active person of the
   * organization. A caller that is one needs no look.
   */
  async requirePerson({ orgId, principalId, kind }: Identity, ownerId: string): Promise<void> {
    if (ownerId === principalId && kind === 'human') return;
    if ((await this.activeKind(orgId, ownerId)) !== 'human')
      throw invalidArgument('owner', 'no such person', { reason: 'unknown_person' });
  }

  /** Whether the person who owns a thing is disabled, deleted or of another organization; the team never is. */
  async isOwnerGone(orgId: string, { id }: Owner): Promise<boolean> {
    return id !== null && (await this.active(orgId, id)) === null;
  }

  /** False for a disabled agent, of which the caller has just found that it is alive in its organization. */
  async isEnabledAgent(orgId: string, agentId: string): Promise<boolean> {
    return this.principals.isEnabledAgent(orgId, agentId);
  }

  /**
   * An agent that the caller has just found alive in its organization, as `find` gives it, with two reads less: its
   * permissions are worked out when they are asked for. Null when it is disabled.
   */
  async enabledAgent(orgId: string, agentId: string): Promise<EnabledAgent | null> {
    const found = await this.principals.enabledAgent(orgId, agentId);
    return found && { viewer: () => this.viewer(orgId, found) };
  }

  private async active(orgId: string, principalId: string): Promise<FoundPrincipal | null> {
    const found = await this.principals.find(orgId, principalId);
    return found?.status === 'active' ? found : null;
  }

  private async viewer(orgId: string, found: GrantedPrincipal): Promise<Viewer> {
    const { id: principalId, kind } = found.principal;
    const held = impliedPermissions((await this.granted.ofPrincipal(orgId, found)).permissions);
    const permissions = kind === 'agent' ? new Set([...held].filter((permission) => agentsMost.has(permission))) : held;
    return { orgId, principalId, kind, permissions };
  }
}
