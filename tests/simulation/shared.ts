import type { Appended } from '@aos/kernel';
import {
  MemoryBlobs,
  MemoryEventStore,
  MemoryLeases,
  MemoryMembers,
  MemoryReadStore,
  MemorySnapshots,
} from '@aos/adapters/memory';
import { CountingIds } from '@aos/kernel/testing';
import { Wire } from './bus.js';
import { Random } from './random.js';
import { Scheduler, type Place } from './scheduler.js';

/** How long the read store may keep what it acknowledged to itself: Redis saves each second. */
const rowsSavedMs = 1_000;

/** Shares of calls that go wrong. */
export interface Faults {
  appendLost: number;
  appendRepeated: number;
  answerLost: number;
  readFails: number;
  readStoreFails: number;
  leasesFail: number;
  deliveredAgain: number;
  messageLost: number;
  messageDoubled: number;
  modelFails: number;
  summarySlow: number;
  slow: number;
}

export const calm: Faults = {
  appendLost: 0,
  appendRepeated: 0,
  answerLost: 0,
  readFails: 0,
  readStoreFails: 0,
  leasesFail: 0,
  deliveredAgain: 0,
  messageLost: 0,
  messageDoubled: 0,
  modelFails: 0,
  summarySlow: 0,
  slow: 0,
};

export const rough: Faults = {
  appendLost: 0.02,
  appendRepeated: 0.03,
  answerLost: 0.02,
  readFails: 0.004,
  readStoreFails: 0.03,
  leasesFail: 0.03,
  deliveredAgain: 0.05,
  messageLost: 0.2,
  messageDoubled: 0.1,
  modelFails: 0.1,
  summarySlow: 0.1,
  slow: 0.1,
};

/** A bug that is put in on purpose, to see that it is found. */
export type Planted =
  | 'none'
  | 'ignored revision'
  | 'owner ignores revision'
  | 'no epoch'
  | 'park without a look at nudges'
  | 'place leaks'
  | 'claims while stopping'
  | 'trusts a cut bus'
  | 'trusts a bus that was cut';

/** Who wrote an event, when, and with which others in one append. */
export interface Written {
  place: string;
  /** Monotonic milliseconds. */
  at: number;
  /** Revision of the first event of its append. */
  first: number;
  /** No message of it reached another process. */
  busWasCut: boolean;
}

const delayMsMax = 400;

/** What all replicas share: the engines, the wire, time, chance, and what is known about every write. */
export class Shared {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly log: MemoryEventStore;
  readonly readStore = new MemoryReadStore();
  private rowsSavedAt = 0;
  readonly snapshots = new MemorySnapshots();
  readonly blobs = new MemoryBlobs();
  readonly wire = new Wire();
  readonly ids = new CountingIds();
  readonly written = new Map<string, Written[]>();
  readonly troubles: string[] = [];
  /** Appends that met another one. */
  conflicts = 0;
  leases: MemoryLeases;
  members: MemoryMembers;
  /** No message passes, and all know it. */
  private cut = false;
  private readonly busListeners: { place: Place; listener: (healthy: boolean) => void }[] = [];
  /** Position of the newest event. */
  position = '';
  faults: Faults = calm;
  private readonly deaths = new Map<Place, (() => void)[]>();

  constructor(
    seed: number,
    readonly planted: Planted,
    readonly soleWriter = false,
  ) {
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random);
    this.log = new MemoryEventStore({ clock: this.scheduler.clock, soleWriter });
    this.leases = new MemoryLeases(this.scheduler.clock);
    this.members = new MemoryMembers(this.scheduler.clock);
  }

  get busIsCut(): boolean {
    return this.cut;
  }

  set busIsCut(cut: boolean) {
    if (cut === this.cut) return;
    this.cut = cut;
    for (const { place, listener } of this.busListeners)
      place.act(() => {
        listener(!cut);
      });
  }

  onBusHealth(place: Place, listener: (healthy: boolean) => void): void {
    this.busListeners.push({ place, listener });
  }

  get now(): number {
    return this.scheduler.clock.monotonic();
  }

  delay(): number {
    return this.random.chance(this.faults.slow) ? this.random.below(delayMsMax) : 0;
  }

  /** Happens some time from now, whoever asked for it. */
  later(action: () => void): void {
    this.scheduler.clock.after(this.random.below(delayMsMax), action);
  }

  onDeath(place: Place, action: () => void): void {
    const list = this.deaths.get(place) ?? [];
    list.push(action);
    this.deaths.set(place, list);
  }

  kill(place: Place): void {
    place.state = 'dead';
    this.scheduler.drop(place);
    for (const action of this.deaths.get(place) ?? []) action();
    this.deaths.delete(place);
  }

  wrote(place: Place, stream: string, { revision, position }: Appended, count: number): void {
    if (position > this.position) this.position = position;
    const list = this.written.get(stream) ?? [];
    this.written.set(stream, list);
    const first = revision - count + 1;
    for (let at = first; at <= revision; at += 1)
      list[at] ??= { place: place.name, at: this.now, first, busWasCut: this.busIsCut };
  }

  /** Before each write: the read store saves what it has, once in a second. */
  saveRows(): void {
    if (this.now - this.rowsSavedAt < rowsSavedMs) return;
    this.readStore.save();
    this.rowsSavedAt = this.now;
  }

  /** The read store comes back: empty, or with what it had saved. */
  loseRows(how: 'all' | 'unsaved'): void {
    if (how === 'all') this.readStore.empty();
    else this.readStore.crash();
  }

  /** The lease store comes back empty. */
  loseLeases(): void {
    this.leases = new MemoryLeases(this.scheduler.clock);
  }

  /** No member is known until each renews itself. */
  loseMembers(): void {
    this.members = new MemoryMembers(this.scheduler.clock);
  }

  /** Something went wrong that must not, whatever fails. */
  fault(error: unknown): void {
    this.troubles.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}
