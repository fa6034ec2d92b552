import fc from 'fast-check';
import type { Position, RecordedEvent } from '@aos/kernel';
import type { Portion, PortionFeed } from './feed.js';
import { JoiningFeed } from './joining-feed.js';
import { Member, SharedFeed, type OpenFeed } from './shared-feed.js';

const categories = ['agent-', 'org-', 'session-'];
/** What a member may have waiting here, and more than that. */
const waitingMax = 512;
const burst = 600;

const at = (index: number): Position => String(index).padStart(8, '0');
/** Lets everything run that is not waiting for the log or for a reader. */
const settle = async () => {
  for (let turn = 0; turn < 8; turn += 1)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
};

/** A log in memory, its feeds, and a count of the events that they sent. */
class Log {
  readonly events: RecordedEvent[] = [];
  readonly feeds = new Set<LogFeed>();
  sent = 0;

  append(category: string): void {
    const stream = `${category}1`;
    const position = at(this.events.length + 1);
    this.events.push({ id: position, type: 'Happened', data: {}, meta: {}, stream, revision: 0, position });
    for (const feed of this.feeds) feed.wake();
  }

  readonly open: OpenFeed = (prefixes, from) => {
    const feed = new LogFeed(this, prefixes, from);
    this.feeds.add(feed);
    return feed;
  };

  of(prefixes: readonly string[]): Position[] {
    return this.events
      .filter(({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix)))
      .map(({ position }) => position);
  }
}

/** Sends what there is, says once that it has caught up, then sends what comes; `fail` breaks it. */
class LogFeed implements PortionFeed {
  private index: number;
  private caughtUp = false;
  private trouble: Error | null = null;
  private wakeUp: () => void = () => undefined;

  constructor(
    private readonly log: Log,
    private readonly prefixes: readonly string[],
    from: Position,
  ) {
    this.index = from === '' ? 0 : Number(from);
  }

  async next(max: number): Promise<Portion> {
    for (;;) {
      await Promise.resolve();
      if (this.trouble) throw this.trouble;
      const events: RecordedEvent[] = [];
      for (; this.index < this.log.events.length && events.length < max; this.index += 1) {
        const event = this.log.events[this.index];
        if (event && this.prefixes.some((prefix) => event.stream.startsWith(prefix))) events.push(event);
      }
      this.log.sent += events.length;
      const isNew = !this.caughtUp && this.index === this.log.events.length;
      if (isNew) this.caughtUp = true;
      const checkpoint = this.index > 0 && this.index % 3 === 0 ? { checkpoint: at(this.index) } : {};
      if (events.length > 0 || isNew) return { events, ...checkpoint, ...(isNew && { caughtUp: true }) };
      await new Promise<void>((resolve) => {
        this.wakeUp = resolve;
      });
    }
  }

  wake(): void {
    this.wakeUp();
  }

  fail(): void {
    this.trouble = new Error('broken');
    this.close();
  }

  close(): void {
    this.trouble ??= new Error('closed');
    this.log.feeds.delete(this);
    this.wakeUp();
  }
}

/** Reads as a subscription does: after trouble it begins again behind what it has handled. It can be held up. */
class Reader {
  readonly seen: Position[] = [];
  private handled: Position = '';
  private held: Promise<void> | null = null;
  private release: () => void = () => undefined;
  private closed = false;
  private feed: PortionFeed | null = null;

  constructor(
    private readonly log: Log,
    private readonly shared: SharedFeed,
    readonly prefixes: readonly string[],
  ) {
    shared.expect(prefixes);
  }

  async run(): Promise<void> {
    while (!this.closed) {
      const feed = new JoiningFeed(this.shared, this.log.open, this.prefixes, this.handled);
      this.feed = feed;
      try {
        await this.follow(feed);
      } catch (error) {
        if (!(error instanceof Error && ['broken', 'closed'].includes(error.message))) throw error;
      } finally {
        feed.close();
      }
    }
  }

  hold(): void {
    this.held ??= new Promise((resolve) => {
      this.release = resolve;
    });
  }

  goOn(): void {
    this.held = null;
    this.release();
  }

  close(): void {
    this.closed = true;
    this.goOn();
    this.feed?.close();
  }

  private async follow(feed: PortionFeed): Promise<void> {
    while (!this.closed) {
      const { events, checkpoint } = await feed.next(64);
      await this.held;
      this.seen.push(...events.map(({ position }) => position));
      this.handled = checkpoint ?? events.at(-1)?.position ?? this.handled;
    }
  }
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('append' as const), what: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('burst' as const), what: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hold' as const), what: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('go on' as const), what: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('break' as const), what: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('subscribe' as const), what: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const), what: fc.nat(1) }) },
);
const wanted: readonly (readonly string[])[] = [
  ['agent-'],
  ['session-'],
  ['org-', 'agent-'],
  ['session-', 'org-'],
  categories,
  ['org-'],
];

it('every subscription is given each of its events once and in order, with readers held up and feeds that break', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const log = new Log();
      const shared = new SharedFeed(log.open, waitingMax);
      const readers: Reader[] = [];
      const runs: Promise<void>[] = [];
      for (const { do: action, what } of [{ do: 'subscribe' as const, what: 4 }, ...steps]) {
        if (action === 'append') log.append(categories[what] ?? '');
        if (action === 'burst') for (let n = 0; n < burst; n += 1) log.append(categories[what] ?? '');
        if (action === 'hold') readers[what]?.hold();
        if (action === 'go on') readers[what]?.goOn();
        if (action === 'break') [...log.feeds][what]?.fail();
        if (action === 'settle') await settle();
        if (action !== 'subscribe' || readers.length === 6) continue;
        const reader = new Reader(log, shared, wanted[what] ?? categories);
        readers.push(reader);
        runs.push(reader.run());
      }
      for (const reader of readers) reader.goOn();
      await settle();
      for (let turn = 0; turn < 20 && log.feeds.size > 1; turn += 1) await settle();
      for (const reader of readers) expect(reader.seen).toEqual(log.of(reader.prefixes));
      for (const reader of readers) reader.close();
      await Promise.all(runs);
      expect([log.feeds.size, shared.isRunning]).toEqual([0, false]);
    }),
    { numRuns: 300 },
  );
});

it('a portion says no place that lies before its last event: who goes on from there is given events twice', async () => {
  const member = new Member(['a-'], '', waitingMax, () => undefined);
  const push = (index: number, word: Omit<Portion, 'events'>) => {
    const event = { stream: 'a-1', position: at(index), data: {} } as RecordedEvent;
    member.push([{ event, bytes: 2 }], word);
  };
  push(1, { checkpoint: at(1) });
  push(2, {});
  const { events, ...word } = (await member.next(64)) ?? { events: [] };
  expect([events.map(({ position }) => position), word]).toEqual([[at(1), at(2)], {}]);
});

it('an event is sent once for all that have caught up; one that is held up holds up no other, and comes back', async () => {
  const log = new Log();
  const shared = new SharedFeed(log.open, waitingMax);
  const readers = categories.map(() => new Reader(log, shared, categories));
  const runs = readers.map((reader) => reader.run());
  await settle();
  log.append('org-');
  await settle();
  expect([log.feeds.size, log.sent]).toEqual([1, 1]);

  readers[0]?.hold();
  for (let n = 0; n < burst; n += 1) log.append('session-');
  await settle();
  for (let n = 0; n < burst; n += 1) log.append('session-');
  await settle();
  expect(readers.map(({ seen }) => seen.length)).toEqual([1, 1 + 2 * burst, 1 + 2 * burst]);

  readers[0]?.goOn();
  for (let turn = 0; turn < 10; turn += 1) await settle();
  expect(readers[0]?.seen).toEqual(log.of(categories));
  expect(log.feeds.size).toBe(1);
  for (const reader of readers) reader.close();
  await Promise.all(runs);
});

it('what comes while the handler of one runs is sent once, up to 4,096 events', async () => {
  const log = new Log();
  const shared = new SharedFeed(log.open);
  const readers = categories.map(() => new Reader(log, shared, categories));
  const runs = readers.map((reader) => reader.run());
  await settle();
  readers[0]?.hold();
  for (let times = 0; times < 6; times += 1) {
    for (let n = 0; n < burst; n += 1) log.append('session-');
    await settle();
  }
  readers[0]?.goOn();
  for (let turn = 0; turn < 20; turn += 1) await settle();
  expect(readers.map(({ seen }) => seen.length)).toEqual(categories.map(() => 6 * burst));
  expect(log.sent).toBe(6 * burst);
  for (const reader of readers) reader.close();
  await Promise.all(runs);
});
