import { Injectable } from '@nestjs/common';
import { Clock, ReadStore, collectionOf, rfc3339, type Identity, type QueryCursor } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { connectionDecider } from '../connection.decider.js';
import { connectionsPerOrganizationMax } from '../connection/connection.limits.js';
import { connectionsProjection } from '../connection/connection.projection.js';

const pageSize = 500;

/** Grants of persons' connections to one agent. */
@Injectable()
export class AgentGrants {
  constructor(
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  /** Ends them all, because another owner has the agent; a repeat changes nothing (rule TE10). */
  async end(who: Identity, agentId: string): Promise<void> {
    let after: QueryCursor | null = null;
    // as many as there may be, and some that came at the same moment
    for (let seen = 0; seen < 2 * connectionsPerOrganizationMax; seen += pageSize) {
      const page: Awaited<ReturnType<ReadStore['query']>> = await this.readStore.query({
        collection: collectionOf(connectionsProjection),
        scope: [who.orgId],
        limit: pageSize,
        ...(after ? { after } : {}),
      });
      const command = { agentId, by: who.principalId, now: rfc3339(this.clock.now()) };
      for (const { key } of page.rows)
        await this.decisions.decide(connectionDecider.endGrants, key, actorOf(who), command);
      after = page.next;
      if (!after) return;
    }
  }
}
