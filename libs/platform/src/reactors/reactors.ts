import { Inject, Injectable, Optional } from '@nestjs/common';
import { Clock, EventStore, Ids, Leases, type RecordedEvent } from '@aos/kernel';
import { Readiness } from '../http/operations/readiness.js';
import { stopOf } from '../leased/verdict.js';
import { Metrics } from '../observability/metrics.js';
import { Settings } from '../settings/load-settings.js';
import { Reactor, type ReactorSpec } from './reactor.js';

/** What one consumer of the log asks for. */
export interface ConsumerSpec extends Omit<ReactorSpec, 'leaseMs'> {
  /** How long another may be silent before this one takes over; absent: as long as a lease lives by the settings. */
  leaseMs?: number;
  /** The lease lives no longer than this, whatever the settings say. */
  leaseMsMax?: number;
  /** Names the check of readiness that fails once the consumer stopped for good; absent: none does. */
  readiness?: string;
  /** The gauge that is 1 once the consumer stopped for good. */
  stoppedGauge?: { name: string; help: string };
}

/** Makes the consumers of the log that are alive once in the fleet, with a position of their own. */
@Injectable()
export class Reactors {
  constructor(
    private readonly store: EventStore,
    private readonly leases: Leases,
    private readonly clock: Clock,
    private readonly ids: Ids,
    @Inject(Settings) private readonly settings: Settings,
    private readonly readiness: Readiness,
    @Optional() private readonly metrics?: Metrics,
  ) {}

  /**
   * Takes    what is read, and what handles it: idempotent, because events are given at least once.
   * Gives    the reactor, which its owner starts and closes. Readiness and gauge tell of it from now on.
   */
  consume(
    { leaseMs, leaseMsMax = Infinity, readiness, stoppedGauge, ...spec }: ConsumerSpec,
    handle: (events: RecordedEvent[]) => Promise<void>,
  ): Reactor {
    const { store, leases, clock, ids } = this;
    const lease = Math.min(leaseMs ?? this.settings.leaseSeconds * 1000, leaseMsMax);
    const reactor = new Reactor({ ...spec, leaseMs: lease }, { store, leases, clock, ids }, handle);
    if (readiness !== undefined) {
      this.readiness.register({ name: readiness, check: () => Promise.resolve(stopOf(reactor.failure)) });
    }
    if (stoppedGauge) this.metrics?.observeStop(stoppedGauge, () => reactor.failure);
    return reactor;
  }
}
