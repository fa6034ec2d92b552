import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, ReadStore, collectionOf, rfc3339, type RecordedEvent } from '@aos/kernel';
import { Decisions, Projectors, Reactors, serviceActor, type Reactor } from '@aos/platform';
import { systemPrincipalId } from '@aos/access/published';
import { connectionDecider } from '../connection.decider.js';
import { connectionsPerOrganizationMax } from '../connection/connection.limits.js';
import { connectionsProjection } from '../connection/connection.projection.js';
import { ConnectionSecrets } from '../secret/connection-secrets.js';

const leaseMs = 15_000;
const prefix = 'principal-';

/** Erases the secrets of a person who was deleted, and ends the connections (rule TE27). */
@Injectable()
export class DepartedOwnersReactor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly reactor: Reactor;

  constructor(
    private readonly readStore: ReadStore,
    private readonly projectors: Projectors,
    private readonly secrets: ConnectionSecrets,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
    reactors: Reactors,
  ) {
    this.reactor = reactors.consume(
      { name: 'connectionowners', prefixes: [prefix], leaseMs, from: 'start' },
      async (events) => {
        for (const event of events) if (event.type === 'PrincipalDeleted') await this.forget(event);
      },
    );
  }

  onApplicationBootstrap(): void {
    this.reactor.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.reactor.close();
  }

  /** Done twice it is the same as once. */
  private async forget({ stream, meta }: RecordedEvent): Promise<void> {
    const orgId = meta.org_id ?? '';
    const personId = stream.slice(prefix.length);
    const collection = collectionOf(connectionsProjection);
    this.projectors.requireCaughtUp(collection);
    const { rows } = await this.readStore.query({
      collection,
      scope: [orgId],
      where: [{ index: 'owner', eq: personId }],
      limit: connectionsPerOrganizationMax,
    });
    const actor = serviceActor(orgId, systemPrincipalId(orgId), `departed-${personId}`);
    for (const { key: id } of rows) {
      await this.secrets.erase(id, actor);
      const facts = await this.secrets.facts(orgId, id);
      const command = { ...facts, by: actor.principalId, now: rfc3339(this.clock.now()) };
      await this.decisions.decide(connectionDecider.followSecret, id, actor, command);
    }
  }
}
