import { Injectable } from '@nestjs/common';
import { impliedPermissions, type Viewer } from '@aos/kernel';
import { PrincipalReader } from '../principal/principal-reader.js';
import { Granted } from './granted.js';

/** The most that an agent may do, whatever its roles say (rule A32). */
const agentsMost = impliedPermissions(['svc.resource.use']);

/** What principals may do now, where no key stands for them: agents, and those that turns act for. */
@Injectable()
export class ActivePrincipals {
  constructor(
    private readonly principals: PrincipalReader,
    private readonly granted: Granted,
  ) {}

  /**
   * The principal with its permissions of this moment; null when it is disabled, gone, or of another organization.
   * Throws `StoreUnavailable`.
   */
  async find(orgId: string, principalId: string): Promise<Viewer | null> {
    const found = await this.principals.find(orgId, principalId);
    if (found?.status !== 'active') return null;
    const { kind } = found.principal;
    const held = impliedPermissions((await this.granted.ofPrincipal(orgId, found)).permissions);
    const permissions = kind === 'agent' ? new Set([...held].filter((permission) => agentsMost.has(permission))) : held;
    return { orgId, principalId, kind, permissions };
  }

  /** False for one that is disabled, gone, or of another organization; costs no look at roles. */
  async isActive(orgId: string, principalId: string): Promise<boolean> {
    return (await this.principals.find(orgId, principalId))?.status === 'active';
  }
}
