import { Inject, Injectable } from '@nestjs/common';
import { Clock, EventStore, Leases, ReadStore } from '@aos/kernel';
import { Projectors } from '../projections/projectors.js';
import { Settings } from '../settings/index.js';
import { RecoveryLoop, type Recovery } from './recovery-loop.js';
import { SilentOwners } from './silent-owners.js';

/** Gives each executor its loop over open work, with what all these loops need. */
@Injectable()
export class Recoveries {
  /** How long a lease lasts. */
  readonly leaseMs: number;

  constructor(
    private readonly store: EventStore,
    private readonly readStore: ReadStore,
    private readonly projectors: Projectors,
    private readonly leases: Leases,
    private readonly clock: Clock,
    @Inject(Settings) settings: Pick<Settings, 'leaseSeconds'>,
  ) {
    this.leaseMs = settings.leaseSeconds * 1000;
  }

  /** In one process open work that does not run here runs nowhere: leases say nothing. */
  get soleWriter(): boolean {
    return this.store.soleWriter;
  }

  loop(recovery: Recovery): RecoveryLoop {
    const { store, readStore, projectors, leases, clock, leaseMs } = this;
    return new RecoveryLoop({ store, readStore, projectors, leases, clock, leaseMs }, recovery);
  }

  silentOwners(): SilentOwners {
    return new SilentOwners(this.leases, this.clock, this.leaseMs);
  }
}
