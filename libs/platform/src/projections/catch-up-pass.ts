import { type Clock, type EventStore, type EventSubscription, type Position, type RecordedEvent } from '@aos/kernel';
import { logStart } from './checkpoint.js';
import { SharedEvent } from './shared-event.js';

/**
 * Events of one read: of several changes of a row in them the newest alone is put. What is made of more of them
 * outlives the young generation, and is collected dearly.
 */
export const passBatchMax = 512;
/** A pass that has given so many batches is not begun again for another reader. */
export const rewoundMax = 32;
/** A reader that has not ended a batch for so long leaves, so that the others go on. */
const heldMaxMs = 5_000;

/** Events of one read. Each list of prefixes is looked for once, however many readers have it. */
export class PassBatch {
  readonly first: Position;
  readonly last: Position;
  private readonly found = new Map<string, RecordedEvent[]>();

  private readonly events: readonly RecordedEvent[];

  constructor(events: readonly RecordedEvent[]) {
    this.events = events.map((event) => new SharedEvent(event));
    this.first = events[0]?.position ?? logStart;
    this.last = events.at(-1)?.position ?? logStart;
  }

  /** Events whose stream has one of the prefixes. Shared: not to be changed. */
  of(prefixes: readonly string[]): RecordedEvent[] {
    const name = prefixes.join(' ');
    let found = this.found.get(name);
    if (!found) {
      found = this.events.filter(({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix)));
      this.found.set(name, found);
    }
    return found;
  }
}

/** A reader of a pass. */
export interface CatchUpMember {
  readonly prefixes: readonly string[];
  /** Everything up to here was given to it. */
  readonly position: Position;
  /** Takes the next events, its own and others'. Never rejects; a call may come before the last one ended. */
  give(batch: PassBatch): Promise<void>;
  /** There was nothing more to read. It has left the pass. */
  caughtUp(): void;
  /** It was too slow for the others. It has left the pass, and joins another one when its batch has ended. */
  fellBehind(): void;
  /** The store met trouble and goes on by itself. */
  trouble(error: unknown): void;
  /** The pass is over for it: it joins again a little later. */
  failed(error: unknown): void;
}

/**
 * One way through the log for several readers. The next batch is read, and given to those that are ready, while the
 * last one is being worked on; never a third.
 */
export class CatchUpPass {
  private readonly members = new Set<CatchUpMember>();
  private subscription: EventSubscription | null = null;
  /** The last batches, with those that work on them. */
  private latest = new Map<CatchUpMember, Promise<void>>();
  private beforeLatest = new Map<CatchUpMember, Promise<void>>();
  /** Everything up to here was given. */
  private at: Position;
  private given = 0;
  private isOpening = false;
  /** The store has said that there is no more: later events are for the members' own subscriptions. */
  private isEnding = false;

  constructor(
    private readonly store: Pick<EventStore, 'subscribe'>,
    private readonly clock: Clock,
    private readonly from: Position,
    private readonly ended: () => void,
  ) {
    this.at = from;
  }

  /**
   * Whether a reader that is at this position is near: it does not wait long for the others, nor they for it. How far
   * apart positions are cannot be said without reading.
   */
  accepts(position: Position): boolean {
    return position >= this.from && position <= this.at && this.given <= rewoundMax;
  }

  add(member: CatchUpMember): void {
    this.members.add(member);
    this.open();
  }

  remove(member: CatchUpMember): void {
    if (!this.members.delete(member) || this.members.size > 0) return;
    void this.subscription?.close();
    this.subscription = null;
    this.ended();
  }

  /** Reads for those that come by the time that those that wait now have gone on: they come together. */
  private open(): void {
    this.isEnding = false;
    if (this.isOpening) return;
    this.isOpening = true;
    Promise.resolve()
      .then(() => this.reopen())
      .catch((error: unknown) => {
        for (const member of [...this.members]) member.failed(error);
      });
  }

  private async reopen(): Promise<void> {
    const before = this.subscription;
    this.subscription = null;
    await before?.close();
    await this.done(this.latest);
    this.isOpening = false;
    if (this.members.size === 0) return;
    const members = [...this.members];
    this.at = members.map(({ position }) => position).reduce((least, one) => (one < least ? one : least));
    const subscription = this.store.subscribe(
      {
        name: 'catch-up',
        prefixes: [...new Set(members.flatMap(({ prefixes }) => prefixes))],
        from: this.at === logStart ? 'start' : this.at,
        batchMax: passBatchMax,
        onCaughtUp: () => void this.caughtUp(subscription),
        onTrouble: (error) => {
          for (const member of this.members) member.trouble(error);
        },
      },
      (events) => this.give(events),
    );
    this.subscription = subscription;
  }

  private async give(events: readonly RecordedEvent[]): Promise<void> {
    await this.done(this.beforeLatest);
    if (this.isOpening || this.isEnding) return; // it is read again, from where the members are then
    this.beforeLatest = this.latest;
    const batch = new PassBatch(events);
    this.latest = new Map();
    for (const member of this.members) this.latest.set(member, this.worked(this.latest, member, batch));
    this.at = batch.last;
    this.given += 1;
  }

  private async worked(under: Map<CatchUpMember, unknown>, member: CatchUpMember, batch: PassBatch): Promise<void> {
    await member.give(batch);
    under.delete(member);
  }

  /** Resolves when no member of the pass works on the batch any more. */
  private async done(under: ReadonlyMap<CatchUpMember, Promise<void>>): Promise<void> {
    if (under.size === 0) return;
    let late: { cancel(): void } | undefined;
    const held = new Promise<void>((resolve) => {
      late = this.clock.after(heldMaxMs, resolve);
    });
    await Promise.race([Promise.all(under.values()), held]);
    late?.cancel();
    for (const member of under.keys()) {
      this.remove(member);
      member.fellBehind();
    }
  }

  private async caughtUp(subscription: EventSubscription): Promise<void> {
    if (this.isOpening || this.subscription !== subscription) return;
    this.isEnding = true;
    await this.done(this.latest);
    if (!this.isEnding || this.subscription !== subscription) return; // another reader came
    for (const member of [...this.members]) {
      this.remove(member);
      member.caughtUp();
    }
  }
}
