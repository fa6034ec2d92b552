import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, rfc3339, type RecordedEvent } from '@aos/kernel';
import { Reactors, serviceActor, type Reactor } from '@aos/platform';
import { principalDecider } from '../principal.decider.js';
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
    reactors: Reactors,
    private readonly clock: Clock,
  ) {
    this.reactor = reactors.consume({ name: 'agentprincipals', prefixes: [prefix], leaseMs, from: 'start' }, (events) =>
      this.take(events),
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
    const command = { principal: derivedFrom(orgId, agent), deleted: agent.deleted, at: rfc3339(this.clock.now()) };
    const actor = serviceActor(orgId, systemPrincipalId(orgId), `agent-principal-${agentId}`);
    await this.changes.change(principalDecider.followAgent, agentId, actor, command);
  }
}
