import {
  steadyDemand,
  type EventStore,
  type EventSubscription,
  type NewEvent,
  type RecordedEvent,
  type SubscribeOptions,
} from '@aos/kernel';
import type { Ports } from '../ports.js';

/** What is counted, and the methods of each port that count as it. */
const kinds = {
  eventStore: { append: 'appends', read: 'reads', heads: 'reads' },
  readStore: {
    put: 'puts',
    commit: 'commits',
    get: 'queries',
    getMany: 'queries',
    revisions: 'queries',
    query: 'queries',
    count: 'queries',
  },
  liveBus: {
    publish: 'signals',
    deliver: 'signals',
    subscribe: 'bus subscriptions',
    setPreview: 'previews',
    preview: 'previews',
    dropPreview: 'previews',
  },
  leases: { acquire: 'leases', renew: 'leases', release: 'leases', holders: 'leases' },
  snapshots: { get: 'snapshots', put: 'snapshots' },
  blobs: { get: 'blobs', put: 'blobs' },
} as const satisfies { [Port in keyof Ports]?: Partial<Record<keyof NonNullable<Ports[Port]>, string>> };

/** What is asked again and again as time passes, and so is no part of what work asks. */
const timedKinds = { lost: 'looks for lost rows', occupied: 'looks for open work' };

/** What an event changes in the number of open turns. */
const turnChanges: Partial<Record<string, number>> = {
  TurnQueued: 1,
  TurnCompleted: -1,
  TurnFailed: -1,
  TurnCancelled: -1,
};

/** One subscription of the log: events that were appended for it and are not handled yet, by id. */
interface Follower {
  readonly prefixes: readonly string[];
  readonly due: Set<string>;
}

/** What a process asked of its ports. What goes by time is counted where it is asked for (`timed`). */
export class PortCounts {
  private counted = new Map<string, number>();
  private underWay = 0;
  private openTurns = 0;
  private readonly followers = new Set<Follower>();

  /**
   * The ports, counted. Without `alone` the log says that others write it too, as in a fleet. Without `gathers` all
   * rows are waited for: what gathers goes by time, and so does other work that would be counted too. `timed` counts
   * what a process asks at rest.
   */
  of(ports: Ports, { alone, gathers, timed }: { alone: boolean; gathers: boolean; timed: boolean }): Ports {
    const { readStore, liveBus, leases, snapshots, blobs } = ports;
    return {
      ...ports,
      eventStore: this.port(ports.eventStore, kinds.eventStore, {
        soleWriter: alone,
        append: (stream, expected, events) => this.append(ports.eventStore, stream, expected, events),
        subscribe: (options, handler) => this.subscribe(ports.eventStore, options, handler),
      }),
      readStore: this.port(
        readStore,
        timed ? { ...kinds.readStore, ...timedKinds } : kinds.readStore,
        gathers
          ? {}
          : { demand: () => steadyDemand, commit: (batch) => readStore.commit({ ...batch, mayGather: false }) },
      ),
      liveBus: this.port(liveBus, kinds.liveBus),
      leases: this.port(leases, kinds.leases),
      snapshots: this.port(snapshots, kinds.snapshots),
      blobs: this.port(blobs, kinds.blobs),
    };
  }

  /** The counts since the last call, by kind. */
  take(): Map<string, number> {
    const taken = this.counted;
    this.counted = new Map();
    return taken;
  }

  /** Whether every turn has ended, no call is under way, and every subscription has handled all that was appended. */
  isSettled({ withOpenTurns = false } = {}): boolean {
    if (this.openTurns > 0 && !withOpenTurns) return false;
    return this.underWay === 0 && [...this.followers].every(({ due }) => due.size === 0);
  }

  get total(): number {
    return [...this.counted.values()].reduce((sum, count) => sum + count, 0);
  }

  private note(kind: string, count = 1): void {
    this.counted.set(kind, (this.counted.get(kind) ?? 0) + count);
  }

  private port<P extends object>(port: P, kindOf: Readonly<Record<string, string>>, own: Partial<P> = {}): P {
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Object.hasOwn(own, name) ? Reflect.get(own, name) : Reflect.get(target, name);
        if (typeof value !== 'function' || name === 'constructor') return value;
        const kind = kindOf[String(name)];
        return (...given: unknown[]): unknown => {
          if (kind !== undefined) this.note(kind);
          const result: unknown = value.apply(target, given);
          return result instanceof Promise ? this.awaited(result) : result;
        };
      },
    });
  }

  private async awaited(work: Promise<unknown>): Promise<unknown> {
    this.underWay += 1;
    try {
      return await work;
    } finally {
      this.underWay -= 1;
    }
  }

  private async append(store: EventStore, ...[stream, expected, events]: Parameters<EventStore['append']>) {
    this.note('events', events.length);
    const ids = events.map(({ id }: NewEvent) => id);
    const told = [...this.followers].filter(({ prefixes }) => prefixes.some((prefix) => stream.startsWith(prefix)));
    for (const { due } of told) for (const id of ids) due.add(id);
    try {
      const appended = await store.append(stream, expected, events);
      for (const { type } of events) this.openTurns += turnChanges[type] ?? 0;
      return appended;
    } catch (error) {
      for (const { due } of told) for (const id of ids) due.delete(id);
      throw error;
    }
  }

  private subscribe(
    store: EventStore,
    options: SubscribeOptions,
    handler: (events: RecordedEvent[]) => Promise<void>,
  ): EventSubscription {
    const follower: Follower = { prefixes: options.prefixes, due: new Set() };
    this.followers.add(follower);
    const subscription = store.subscribe(options, async (events) => {
      await handler(events);
      for (const { id } of events) follower.due.delete(id);
    });
    const leave = () => this.followers.delete(follower);
    subscription.ended.then(leave, leave);
    return subscription;
  }
}
