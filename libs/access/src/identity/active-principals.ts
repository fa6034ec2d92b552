import { Injectable } from '@nestjs/common';
import { impliedPermissions, type Viewer } from '@aos/kernel';
import { PrincipalReader } from '../principal/principal-reader.js';
import { Granted } from './granted.js';

/** The most that an agent may do, with any roles (rule A32). */
const agentsMost = impliedPermissions(['svc.resource.use']);

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
    const found = await this.principals.find(orgId, principalId);
    if (found?.status !== 'active') return null;
    const { kind } = found.principal;
    const held = impliedPermissions((await this.granted.ofPrincipal(orgId, found)).permissions);
    const permissions = kind === 'agent' ? new Set([...held].filter((permission) => agentsMost.has(permission))) : held;
    return { orgId, principalId, kind, permissions };
  }

  /** False for a principal that is disabled, deleted, or of another organization. Reads no roles. */
  async isActive(orgId: string, principalId: string): Promise<boolean> {
    return (await this.principals.find(orgId, principalId))?.status === 'active';
  }

  /** As `isActive`, for an agent that the caller has just found alive in its organization: one read less. */
  async isEnabledAgent(orgId: string, agentId: string): Promise<boolean> {
    return this.principals.isEnabledAgent(orgId, agentId);
  }
}
