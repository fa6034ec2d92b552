import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  Clock,
  collectionOf,
  rfc3339,
  upcastRecorded,
  type EventMeta,
  type PrincipalKind,
  type RecordedEvent,
} from '@aos/kernel';
import { Projectors, Reactors, serviceActor, type Actor, type Reactor } from '@aos/platform';
import { principalDecider } from '../principal.decider.js';
import { PrincipalChanges } from './principal-changes.js';
import { AgentPrincipals } from '../principal/agent-principals.js';
import { assignmentsProjection } from '../principal/assignments.projection.js';
import { systemPrincipalId } from '../principal/principal.ids.js';
import { derivedFrom } from '../principal/principal-reader.js';
import { roleEvents, type RoleEvent } from '../role/role.events.js';
import { DeletedRoles } from './deleted-roles.js';

const leaseMs = 15_000;
const ofAgents = 'agent-';
const ofRoles = 'role-';

/** Keeps principals in step with agents and roles. One consumer for both: each costs a lease. */
@Injectable()
export class FollowingPrincipalsReactor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly reactor: Reactor;

  constructor(
    private readonly agents: AgentPrincipals,
    private readonly changes: PrincipalChanges,
    private readonly deletedRoles: DeletedRoles,
    private readonly projectors: Projectors,
    reactors: Reactors,
    private readonly clock: Clock,
  ) {
    const spec = { name: 'agentprincipals', prefixes: [ofAgents, ofRoles], leaseMs, from: 'start' as const };
    this.reactor = reactors.consume(spec, (events) => this.take(events));
  }

  onApplicationBootstrap(): void {
    this.reactor.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.reactor.close();
  }

  private async take(events: RecordedEvent[]): Promise<void> {
    const organizations = new Map<string, string>();
    for (const { stream, meta } of events)
      if (stream.startsWith(ofAgents) && meta.org_id) organizations.set(stream.slice(ofAgents.length), meta.org_id);
    for (const [agentId, orgId] of organizations) await this.followAgent(orgId, agentId);
    for (const event of events) if (event.type === 'RoleDeleted') await this.endAssignments(event);
  }

  /**
   * Creates the principal of an agent, so that lists show it, and archives it with its agent (rule A11). Before that,
   * the principal is derived when it is read. Writes no event when it already is as its agent.
   */
  private async followAgent(orgId: string, agentId: string): Promise<void> {
    const agent = await this.agents.find(orgId, agentId);
    if (!agent) return;
    const command = { principal: derivedFrom(orgId, agent), deleted: agent.deleted, at: rfc3339(this.clock.now()) };
    const actor = serviceActor(orgId, systemPrincipalId(orgId), `agent-principal-${agentId}`);
    await this.changes.change(principalDecider.followAgent, agentId, actor, command);
  }

  /** Ends the assignments that the role's deletion left when it was cut off. */
  private async endAssignments(event: RecordedEvent): Promise<void> {
    this.projectors.requireCaughtUp(collectionOf(assignmentsProjection));
    const { role } = (upcastRecorded(roleEvents, event) as RoleEvent).data;
    await this.deletedRoles.endAssignments(deleterOf(event.meta), role.id, role.updated_at);
  }
}

/** Who deleted the role also ends its assignments, whichever of the two writes it. */
function deleterOf(meta: EventMeta): Actor {
  return {
    orgId: meta.org_id ?? '',
    principalId: meta.principal_id ?? '',
    principalKind: (meta.principal_kind ?? 'system') as PrincipalKind,
    apiKeyId: meta.api_key_id ?? null,
    ip: meta.ip ?? null,
    requestId: meta.request_id ?? '',
  };
}
