import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Ids, Leases, ReadStore, StoreUnavailable } from '@aos/kernel';
import { Settings } from '../settings/load-settings.js';
import { CatchUp } from './catch-up.js';
import { gatheringBatch } from './gathering-batch.js';
import { LossWatch } from './loss-watch.js';
import { OwnProjections } from './own-projections.js';
import { Projector } from './projector.js';

/**
 * All projectors of this process: one for each projection that its modules registered over streams that its service
 * owns.
 */
@Injectable()
export class Projectors implements OnApplicationBootstrap, OnApplicationShutdown {
  private projectors: Projector[] = [];
  private readonly owner: string;

  constructor(
    private readonly own: OwnProjections,
    private readonly store: EventStore,
    private readonly readStore: ReadStore,
    private readonly leases: Leases,
    private readonly clock: Clock,
    ids: Ids,
    @Inject(Settings) private readonly settings: Pick<Settings, 'leaseSeconds'>,
  ) {
    this.owner = `projector_${ids.ulid()}`;
  }

  onApplicationBootstrap(): void {
    const log = CatchUp.of(this.store, this.clock);
    const watch = new LossWatch(this.readStore, this.clock);
    const limits = { leaseMs: this.settings.leaseSeconds * 1000, owner: this.owner, ...gatheringBatch(this.store) };
    this.projectors = this.own.missedRows.map(
      (missed) => new Projector(missed, log, this.readStore, this.leases, this.clock, watch, limits),
    );
    for (const projector of this.projectors) projector.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.projectors.map((projector) => projector.close()));
  }

  /** Every projection has read everything there was at least once. */
  get caughtUp(): boolean {
    return this.projectors.every(({ state }) => state.caughtUp);
  }

  /** How far each projection is behind, in milliseconds, by its name. */
  get lags(): Record<string, number> {
    return Object.fromEntries(this.projectors.map(({ name, lagMs }) => [name, lagMs]));
  }

  /** Projections that stopped loudly, with their fault. */
  get stopped(): { name: string; failure: unknown }[] {
    return this.projectors
      .filter(({ state }) => state.failure !== null)
      .map(({ name, state }) => ({ name, failure: state.failure }));
  }

  /** Lists answer 503 until their projection has caught up. */
  requireCaughtUp(collection: string): void {
    const projector = this.projectors.find(({ name }) => name === collection);
    if (projector && !projector.state.caughtUp) throw new StoreUnavailable(`${collection} is being built`);
  }
}
