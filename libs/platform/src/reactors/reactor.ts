import { Logger } from '@nestjs/common';
import {
  RevisionConflict,
  Stop,
  StoreUnavailable,
  rfc3339,
  type Clock,
  type EventStore,
  type Gather,
  type Ids,
  type Leases,
  type Position,
  type RecordedEvent,
} from '@aos/kernel';
import { failpoint } from '../failpoints.js';
import { LeasedSubscription, type Reading } from '../leased/leased-subscription.js';
import type { Verdict } from '../leased/verdict.js';

export interface ReactorSpec {
  /** Lower case, no `-`; names its position for ever. */
  name: string;
  /** Streams that it reads; a function is asked each time this one has claimed the name. */
  prefixes: readonly string[] | (() => readonly string[]);
  leaseMs: number;
  /** Where a reactor without a position begins. */
  from: 'start' | 'end';
  batchMax?: number;
  /** Least time between two saves of its position; absent: a second. What was handled since may be given again. */
  saveEveryMs?: number;
  /** How long events of a fleet may gather; absent: not at all. */
  gather?: Gather;
  /** Called with the position to go on from, each time this one has claimed the name and before anything is handled. */
  claimed?: (position: Position | null) => Promise<void>;
}

/** What a reactor reads from, and what keeps it alone and in time. */
export interface ReactorParts {
  store: EventStore;
  leases: Leases;
  clock: Clock;
  ids: Ids;
}

const saveEveryMsDefault = 1000;

/**
 * One catch-up subscription, alive once in the fleet, with a durable position in the log. At least once; what the
 * handler does must be idempotent. What the handler throws is given again, for ever, with the fault logged; a `Stop`
 * ends it loudly.
 */
export class Reactor {
  private readonly log: Logger;
  private readonly owner: string;
  private readonly leased: LeasedSubscription;
  private keeper: PositionKeeper | null = null;
  private movedAt = 0;
  private unsaved: string | null = null;
  caughtUp = false;

  constructor(
    private readonly spec: ReactorSpec,
    private readonly parts: ReactorParts,
    private readonly handle: (events: RecordedEvent[]) => Promise<void>,
  ) {
    this.log = new Logger(`reactor ${spec.name}`);
    this.owner = `reactor_${parts.ids.ulid()}`;
    this.leased = new LeasedSubscription(parts, {
      lease: `reactor:${spec.name}`,
      name: spec.name,
      owner: this.owner,
      leaseMs: spec.leaseMs,
      log: this.log,
      ...(spec.gather && { gather: spec.gather }),
      verdict,
      claimed: () => this.claimed(),
      handle: (events) => this.take(events),
      settle: () => this.settle(),
      caughtUp: () => {
        this.caughtUp = true;
      },
    });
  }

  /** Whether this one has claimed the name and reads. */
  get active(): boolean {
    return this.leased.active;
  }

  /** What stopped it for good; null while it runs. */
  get failure(): unknown {
    return this.leased.failure;
  }

  start(): void {
    this.leased.start();
  }

  close(): Promise<void> {
    return this.leased.close();
  }

  private async claimed(): Promise<Reading> {
    const { store, clock, ids } = this.parts;
    this.keeper = new PositionKeeper(store, clock, ids, this.spec.name, this.owner);
    const position = await this.keeper.claim();
    this.unsaved = null; // of an earlier claim: others may be further by now
    failpoint(`after-claim ${this.spec.name}`);
    await this.spec.claimed?.(position);
    const { prefixes, from, batchMax = 256 } = this.spec;
    return { prefixes: typeof prefixes === 'function' ? prefixes() : prefixes, from: position ?? from, batchMax };
  }

  private async take(events: RecordedEvent[]): Promise<void> {
    failpoint(`before-handle ${this.spec.name}`);
    await this.handle(events);
    failpoint(`after-handle ${this.spec.name}`);
    this.unsaved = events.at(-1)?.position ?? this.unsaved;
    if (this.parts.clock.monotonic() - this.movedAt < (this.spec.saveEveryMs ?? saveEveryMsDefault)) return;
    try {
      await this.save();
    } catch (error) {
      if (error instanceof RevisionConflict) throw new Superseded(this.spec.name);
      throw error;
    }
  }

  private async settle(): Promise<void> {
    try {
      await this.save();
    } catch (error) {
      if (!(error instanceof RevisionConflict) && !(error instanceof StoreUnavailable)) throw error;
      this.log.warn(`the last position was not saved: ${error.message}`);
    }
  }

  private async save(): Promise<void> {
    if (this.unsaved === null || !this.keeper) return;
    failpoint(`before-checkpoint ${this.spec.name}`);
    await this.keeper.move(this.unsaved);
    failpoint(`after-checkpoint ${this.spec.name}`);
    this.unsaved = null;
    this.movedAt = this.parts.clock.monotonic();
  }
}

/** Another one claimed the name: this one ends and waits for the lease. */
class Superseded extends Stop {
  constructor(name: string) {
    super(`${name} was taken over`);
  }
}

/** A fault that a handler throws may pass with time, except a `Stop`. */
function verdict(error: unknown): Verdict {
  if (error instanceof Superseded) return 'restart';
  return error instanceof Stop ? 'stop' : 'repeat';
}

/**
 * Position of a reactor or relay in the log, in its own stream `relay-<name>`, kept at one event. A successor appends
 * its own claim first, so that the checkpoint of a late predecessor conflicts and stops it.
 */
class PositionKeeper {
  private revision: number | 'none' = 'none';
  private at: Position | null = null;

  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly name: string,
    private readonly owner: string,
  ) {}

  get position(): Position | null {
    return this.at;
  }

  /** Claims the name and gives the position to go on from; null: the start. */
  async claim(): Promise<Position | null> {
    for (;;) {
      const [last] = await this.store.read(this.stream, { backwards: true, limit: 1 });
      const position = typeof last?.data.position === 'string' ? last.data.position : null;
      try {
        await this.write(last ? last.revision : 'none', position, 'RelayClaimed');
        this.at = position;
        return position;
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
      }
    }
  }

  /** Moves the position. Throws `RevisionConflict` when another process claimed since: stop. */
  async move(position: Position): Promise<void> {
    await this.write(this.revision, position, 'RelayMoved');
    this.at = position;
  }

  private get stream(): string {
    return `relay-${this.name}`;
  }

  private async write(expected: number | 'none', position: Position | null, type: string): Promise<void> {
    const { revision } = await this.store.append(this.stream, expected, [
      {
        id: this.ids.uuid(),
        type,
        data: { owner: this.owner, position },
        meta: { schema_version: '1', org_id: '', recorded_at: rfc3339(this.clock.now()) },
      },
    ]);
    this.revision = revision;
    if (revision > 0 && revision % 20 === 0) await this.store.truncate(this.stream, revision);
  }
}
