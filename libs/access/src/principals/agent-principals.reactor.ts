import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Ids, Leases, rfc3339, type RecordedEvent } from '@aos/kernel';
import { Reactor, serviceActor } from '@aos/platform';
import { PrincipalChanges } from './principal-changes.js';
import { AgentPrincipals } from '../principal/agent-principals.js';
import { systemPrincipalId } from '../principal/principal.ids.js';
import { derivedFrom } from '../principal/principal-reader.js';

const leaseMs = 15_000;
const prefix = 'agent-';

/**
 * Creates the principal of each agent, so that lists show it, and archives it with its agent (rule A11). Before that,
 * the principal is derived when it is read.
 */
@Injectable()
export class AgentPrincipalsReactor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly reactor: Reactor;

  constructor(
    private readonly agents: AgentPrincipals,
    private readonly changes: PrincipalChanges,
    store: EventStore,
    leases: Leases,
    private readonly clock: Clock,
    ids: Ids,
  ) {
    this.reactor = new Reactor(
      { name: 'agentprincipals', prefixes: [prefix], leaseMs, from: 'start' },
      store,
      leases,
      clock,
      ids,
      (events) => this.take(events),
    );
  }

  onApplicationBootstrap(): void {
    this.reactor.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.reactor.close();
  }

  private async take(events: RecordedEvent[]): Promise<void> {
    const organizations = new Map<string, string>();
    for (const { stream, meta } of events) if (meta.org_id) organizations.set(stream.slice(prefix.length), meta.org_id);
    for (const [agentId, orgId] of organizations) await this.follow(orgId, agentId);
  }

  /** Brings one principal to the present state of its agent; writes no event when it already is. */
  private async follow(orgId: string, agentId: string): Promise<void> {
    const agent = await this.agents.find(orgId, agentId);
    if (!agent) return;
    const at = rfc3339(this.clock.now());
    const principal = derivedFrom(orgId, agent);
    await this.changes.change(
      serviceActor(orgId, systemPrincipalId(orgId), `agent-principal-${agentId}`),
      agentId,
      (state) => {
        if (agent.deleted)
          return state.principal && state.status !== 'deleted' ? [{ type: 'PrincipalDeleted', data: { at } }] : [];
        return state.principal ? [] : [{ type: 'PrincipalCreated', data: { principal, grants: [] } }];
      },
    );
  }
}
