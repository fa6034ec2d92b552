import { jsonSize, type Json, type Position, type RecordedEvent } from '@aos/kernel';
import type { Portion, PortionFeed } from './feed.js';

const batchMax = 512;
/**
 * What waits for a member while its handler runs, some seconds of a busy log: one that leaves has all that comes sent
 * and decoded once more for itself. Members share the events.
 */
const waitingEventsDefault = 4096;
const waitingBytesMax = 4 * 1024 * 1024;

/** An event that was read once for all members. */
interface Read {
  event: RecordedEvent;
  bytes: number;
}

/** Opens a feed of the streams with these prefixes behind a position. */
export type OpenFeed = (prefixes: readonly string[], from: Position) => PortionFeed;

/**
 * One member's part of the shared feed: what waits for it, in log order. A member that has too much waiting leaves:
 * what waits is still given, and it reads on alone.
 */
export class Member {
  private waiting: Read[] = [];
  private bytes = 0;
  private pushed = 0;
  private given = 0;
  private checkpoint: { after: number; position: Position } | undefined;
  private caughtUpAfter: number | undefined;
  private trouble: Error | undefined;
  private wakeUp: (() => void) | undefined;
  private hasLeft = false;
  /** The member had everything up to here from elsewhere. */
  private hadThrough: Position = '';

  /** `since`: it is given everything of its prefixes behind this position; at most `waitingMax` events wait. */
  constructor(
    readonly prefixes: readonly string[],
    readonly since: Position,
    private readonly waitingMax: number,
    private readonly leave: (member: Member) => void,
  ) {}

  /** Whether more than what waits will come. */
  get isIn(): boolean {
    return !this.hasLeft && this.trouble === undefined;
  }

  /** The member had everything up to a position from elsewhere: it is not given here, nor what still comes of it. */
  dropThrough(position: Position): void {
    this.hadThrough = position;
    const kept = this.waiting.filter(({ event }) => event.position > position);
    this.given += this.waiting.length - kept.length;
    this.waiting = kept;
    this.bytes = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The next portion as soon as there is one; null when it has left and nothing waits. Rejects when the feed broke. */
  async next(max: number): Promise<Portion | null> {
    for (;;) {
      if (this.trouble) throw this.trouble;
      const portion = this.take(max);
      if (portion.events.length > 0 || portion.checkpoint !== undefined || portion.caughtUp) return portion;
      if (this.hasLeft) return null;
      await new Promise<void>((resolve) => {
        this.wakeUp = resolve;
      });
    }
  }

  push(read: readonly Read[], { checkpoint, caughtUp }: Omit<Portion, 'events'>): void {
    const mine = read.filter(({ event }) => this.isMine(event));
    const bytes = mine.reduce((sum, each) => sum + each.bytes, this.bytes);
    const isOver = this.waiting.length + mine.length > this.waitingMax || bytes > waitingBytesMax;
    if (isOver && this.waiting.length > 0) {
      this.close();
      return;
    }
    this.waiting.push(...mine);
    this.bytes = bytes;
    this.pushed += mine.length;
    if (checkpoint !== undefined) this.checkpoint = { after: this.pushed, position: checkpoint };
    else if (mine.length > 0) this.checkpoint = undefined; // it lies before these
    if (caughtUp) this.caughtUpAfter = this.pushed;
    if (mine.length > 0 || checkpoint !== undefined || caughtUp) this.wakeUp?.();
  }

  fail(error: Error): void {
    this.trouble = error;
    this.wakeUp?.();
  }

  /** Leaves; a second time does nothing. */
  close(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.leave(this);
    this.wakeUp?.();
  }

  private isMine({ stream, position }: RecordedEvent): boolean {
    return position > this.hadThrough && this.prefixes.some((prefix) => stream.startsWith(prefix));
  }

  private take(max: number): Portion {
    const taken = this.waiting.splice(0, max);
    this.given += taken.length;
    for (const { bytes } of taken) this.bytes -= bytes;
    const portion: Portion = { events: taken.map(({ event }) => event) };
    if (this.checkpoint && this.checkpoint.after <= this.given) {
      portion.checkpoint = this.checkpoint.position;
      this.checkpoint = undefined;
    }
    if (this.caughtUpAfter !== undefined && this.caughtUpAfter <= this.given) {
      portion.caughtUp = true;
      this.caughtUpAfter = undefined;
    }
    return portion;
  }
}

/**
 * One feed of the log for all subscriptions of a process that have caught up: each event is sent and decoded once, and
 * given to each member that wants its stream.
 *
 * Promises: a member is given every event of its prefixes behind `since`, in log order, until it leaves or the feed
 * breaks; no member holds up another.
 */
export class SharedFeed {
  private readonly members = new Set<Member>();
  /** Prefixes of the subscriptions that are open, and of how many. */
  private readonly wanted = new Map<string, number>();
  private running: { feed: PortionFeed; prefixes: ReadonlySet<string> } | null = null;
  /** Everything up to here was given to the members. */
  private position: Position = '';

  constructor(
    private readonly open: OpenFeed,
    private readonly waitingMax = waitingEventsDefault,
  ) {}

  get isRunning(): boolean {
    return this.running !== null;
  }

  /** A subscription begins with these prefixes: the feed takes them in when it is opened next. */
  expect(prefixes: readonly string[]): void {
    for (const prefix of prefixes) this.wanted.set(prefix, (this.wanted.get(prefix) ?? 0) + 1);
  }

  /** A subscription that was expected has ended. */
  forget(prefixes: readonly string[]): void {
    for (const prefix of prefixes) {
      const others = (this.wanted.get(prefix) ?? 0) - 1;
      if (others > 0) this.wanted.set(prefix, others);
      else this.wanted.delete(prefix);
    }
  }

  /** A new member; `at`: where the feed begins when it does not run. */
  join(prefixes: readonly string[], at: Position): Member {
    const { running } = this;
    if (!running) this.position = at;
    const member = new Member(prefixes, this.position, this.waitingMax, (left) => {
      this.left(left);
    });
    this.members.add(member);
    if (!running || prefixes.some((prefix) => !running.prefixes.has(prefix))) this.run();
    return member;
  }

  /** Opens the feed, or opens it again where it stands, with the prefixes of all members and of who may become one. */
  private run(): void {
    const prefixes = new Set([...this.wanted.keys(), ...[...this.members].flatMap((member) => member.prefixes)]);
    this.running?.feed.close();
    const running = { feed: this.open([...prefixes], this.position), prefixes };
    this.running = running;
    this.pump(running).catch((error: unknown) => {
      if (this.running === running) this.fail(error instanceof Error ? error : new Error(String(error)));
    });
  }

  private async pump(running: { feed: PortionFeed }): Promise<void> {
    for (let isKnown = true; ;) {
      const portion = await running.feed.next(batchMax);
      if (this.running !== running) return;
      if (portion.caughtUp && isKnown) {
        portion.caughtUp = isKnown = false; // each member had caught up before the feed was opened
      }
      const read = portion.events.map((event) => ({ event, bytes: jsonSize(event.data as Json) }));
      this.position = portion.checkpoint ?? portion.events.at(-1)?.position ?? this.position;
      for (const member of this.members) member.push(read, portion);
    }
  }

  private fail(error: Error): void {
    this.stop();
    for (const member of this.members) member.fail(error);
    this.members.clear();
  }

  private left(member: Member): void {
    if (this.members.delete(member) && this.members.size === 0) this.stop();
  }

  private stop(): void {
    this.running?.feed.close();
    this.running = null;
  }
}
