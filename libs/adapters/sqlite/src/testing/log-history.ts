import type { ExpectedRevision, NewEvent, ReadOptions, RecordedEvent } from '@aos/kernel';
import { RevisionConflict } from '@aos/kernel';
import { ManualClock, plain } from '@aos/kernel/testing';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { positionText } from '../position.js';
import { SqliteEventStore } from '../sqlite-event-store.js';
import type { LogFormat } from '../writer-messages.js';

const streams = ['thing-a', 'thing-b', 'other-a', 'other-b', 'thing-c'];
const largeText = 'x'.repeat(200 * 1024);

/** What is done to a log, and asked of it. */
export type Step =
  | { do: 'append'; stream: string; behind: number; count: number; ids: 'new' | 'again' | 'partly'; size: Size }
  | { do: 'create'; stream: string }
  | { do: 'burst'; appends: number }
  | { do: 'truncate'; stream: string; before: number }
  | ({ do: 'read'; stream: string } & ReadOptions)
  | { do: 'heads' }
  | { do: 'reopen' | 'kill'; newFormat: LogFormat }
  | { do: 'convert'; times: number };

type Size = 'small' | 'two kilobytes' | 'large';

const stream = fc.constantFrom(...streams);
const steps = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      stream,
      behind: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: -1, max: 6 })),
      count: fc.integer({ min: 1, max: 5 }),
      ids: fc.constantFrom('new' as const, 'again' as const, 'partly' as const),
      size: fc.constantFrom<Size>('small', 'small', 'small', 'two kilobytes', 'two kilobytes', 'large'),
    }),
  },
  { weight: 5, arbitrary: fc.nat(25).map((name) => ({ do: 'create' as const, stream: `made-${name}` })) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('burst' as const), appends: fc.integer({ min: 1, max: 300 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('truncate' as const), stream, before: fc.nat(30) }) },
  {
    weight: 6,
    arbitrary: fc
      .record(
        { stream, from: fc.nat(40), backwards: fc.boolean(), limit: fc.integer({ min: 1, max: 12 }) },
        { requiredKeys: ['stream', 'limit'] },
      )
      .map((read) => ({ do: 'read' as const, ...read })),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'heads' as const }) },
);

/** What a log goes through: in format 1, in format 2, or changed from one to the other in the middle. */
export function histories(kind: LogFormat | 'changed'): fc.Arbitrary<Step[]> {
  const again = (newFormat: LogFormat) =>
    fc.constantFrom('reopen' as const, 'kill' as const).map((how): Step => ({ do: how, newFormat }));
  const convert = fc.integer({ min: 1, max: 3 }).map((times): Step => ({ do: 'convert', times }));
  const part = (...others: fc.Arbitrary<Step>[]) =>
    fc.array(fc.oneof({ weight: 12, arbitrary: steps }, ...others), { minLength: 5, maxLength: 35 });
  if (kind !== 'changed') return part(again(kind));
  return fc
    .tuple(part(again(1)), again(2), part(again(2), again(1), convert))
    .map(([before, change, after]) => [...before, change, ...after]);
}

interface Expected {
  events: RecordedEvent[];
  cut: number;
}

/** The rules of the port over lists in memory. */
class Model {
  readonly streams = new Map<string, Expected>();
  end = 0;

  of(name: string): Expected {
    const found = this.streams.get(name) ?? { events: [], cut: 0 };
    this.streams.set(name, found);
    return found;
  }

  append(name: string, expected: ExpectedRevision, events: readonly NewEvent[]): unknown {
    const { events: written, cut } = this.of(name);
    const first = expected === 'none' ? 0 : expected + 1;
    if (first !== written.length) {
      const earlier = written.slice(first, first + events.length);
      const isRepeat =
        first >= cut && earlier.length === events.length && earlier.every(({ id }, n) => id === events[n]!.id);
      const last = earlier.at(-1);
      if (isRepeat && last) return { revision: last.revision, position: last.position };
      return { conflict: written.length === 0 ? 'none' : written.length - 1 };
    }
    for (const event of events) {
      this.end += 1;
      written.push({ ...event, stream: name, revision: written.length, position: positionText(this.end) });
    }
    return { revision: written.length - 1, position: positionText(this.end) };
  }

  truncate(name: string, before: number): void {
    const state = this.of(name);
    state.cut = Math.max(state.cut, Math.min(before, state.events.length - 1));
  }

  read(name: string, { from, backwards, limit }: ReadOptions): RecordedEvent[] {
    const { events, cut } = this.of(name);
    const visible = events.slice(Math.max(0, cut));
    return (
      backwards
        ? visible.filter(({ revision }) => revision <= (from ?? Infinity)).reverse()
        : visible.filter(({ revision }) => revision >= (from ?? 0))
    ).slice(0, limit);
  }

  head(name: string): number | 'none' {
    const { length } = this.of(name).events;
    return length === 0 ? 'none' : length - 1;
  }

  all(prefix: string): RecordedEvent[] {
    return [...this.streams]
      .filter(([name]) => name.startsWith(prefix))
      .flatMap(([, { events, cut }]) => events.slice(Math.max(0, cut)))
      .sort((a, b) => (a.position < b.position ? -1 : 1));
  }
}

let eventNumber = 0;

function eventOf(size: Size): NewEvent {
  eventNumber += 1;
  const text = size === 'large' ? largeText : size === 'small' ? '' : 'y'.repeat(2000);
  const meta: Record<string, string> = eventNumber % 5 === 0 ? { org_id: 'a' } : { schema_version: '2', org_id: 'b' };
  if (eventNumber % 7 === 0) meta['blobs'] = '1';
  return { id: randomUUID(), type: `Happened${eventNumber % 3}`, data: { text, said: 'ä€😀\n"' }, meta };
}

/** A store and what it must answer. */
export class LogHistory {
  private readonly model = new Model();
  private store: SqliteEventStore | null = null;
  private bursts = 0;

  private constructor(
    private readonly folder: string,
    private directory: string,
  ) {}

  /** Carries out a history in an empty folder; every answer is compared, and at its end the whole log. */
  static async run(folder: string, newFormat: LogFormat, history: readonly Step[]): Promise<void> {
    const run = new LogHistory(folder, mkdtempSync(join(folder, 'log-')));
    try {
      await run.open(newFormat);
      for (const step of history) await run.take(step);
      await run.open(newFormat);
      await run.compareAll();
    } finally {
      await run.store?.close();
      rmSync(run.directory, { recursive: true });
    }
  }

  private get opened(): SqliteEventStore {
    if (!this.store) throw new Error('no store is open');
    return this.store;
  }

  private async open(newFormat: LogFormat): Promise<void> {
    await this.store?.close();
    this.store = null;
    this.store = await SqliteEventStore.open({ directory: this.directory, clock: new ManualClock(), newFormat });
  }

  /** Opens what a killed process would have left: what was written, whether it was indexed or not. */
  private async kill(newFormat: LogFormat): Promise<void> {
    const left = mkdtempSync(join(this.folder, 'log-'));
    for (const name of ['log.db', 'log.db-wal'])
      if (existsSync(join(this.directory, name))) copyFileSync(join(this.directory, name), join(left, name));
    await this.store?.close();
    this.store = null;
    rmSync(this.directory, { recursive: true });
    this.directory = left;
    await this.open(newFormat);
  }

  private async take(step: Step): Promise<void> {
    if (step.do === 'append') await this.append(step);
    else if (step.do === 'create') await this.appended(step.stream, 'none', [eventOf('small')]);
    else if (step.do === 'burst') await this.burst(step.appends);
    else if (step.do === 'read') await this.read(step.stream, step);
    else if (step.do === 'truncate') {
      await this.opened.truncate(step.stream, step.before);
      this.model.truncate(step.stream, step.before);
    } else if (step.do === 'reopen') await this.open(step.newFormat);
    else if (step.do === 'kill') await this.kill(step.newFormat);
    else if (step.do === 'convert') for (let n = 0; n < step.times; n += 1) await this.opened.convertSome();
    else expect(await this.opened.heads(streams)).toEqual(streams.map((name) => this.model.head(name)));
  }

  private async append({ stream: name, behind, count, ids, size }: Step & { do: 'append' }): Promise<void> {
    const { events } = this.model.of(name);
    const first = Math.max(0, events.length - behind);
    const fresh = Array.from({ length: count }, (_, n) => eventOf(n === 0 ? size : 'small'));
    const written = events.slice(first, first + count);
    const kept = ids === 'new' ? 0 : ids === 'again' ? written.length : Math.floor(written.length / 2);
    const asked = [...written.slice(0, kept).map(({ id, type, data, meta }) => ({ id, type, data, meta })), ...fresh];
    await this.appended(name, first === 0 ? 'none' : first - 1, asked.slice(0, count));
  }

  private async appended(name: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<void> {
    const answer = await this.opened.append(name, expected, events).then(
      ({ revision, position }) => ({ revision, position }),
      (error: unknown) => {
        if (!(error instanceof RevisionConflict)) throw error;
        return { conflict: error.actual };
      },
    );
    expect(answer).toEqual(this.model.append(name, expected, events));
  }

  /** So many at once that some are indexed and some are not. */
  private async burst(appends: number): Promise<void> {
    this.bursts += 1;
    await Promise.all(
      Array.from({ length: appends }, (_, n) => this.appended(`many-${this.bursts}x${n}`, 'none', [eventOf('small')])),
    );
    for (const n of [0, appends - 1]) await this.read(`many-${this.bursts}x${n}`, { limit: 2 });
  }

  private async read(name: string, { from, backwards, limit }: ReadOptions): Promise<void> {
    const options = { limit, ...(from !== undefined && { from }), ...(backwards !== undefined && { backwards }) };
    expect(plain(await this.opened.read(name, options))).toEqual(this.model.read(name, options));
  }

  private async compareAll(): Promise<void> {
    for (const name of this.model.streams.keys()) {
      await this.read(name, { limit: 4096 });
      await this.read(name, { limit: 4096, backwards: true });
    }
    for (const prefix of ['thing-', 'many-', 'made-']) {
      const expected = this.model.all(prefix);
      for (const [from, batchMax] of [
        ['start', 7],
        [expected[Math.floor(expected.length / 3)]?.position ?? 'start', 4096],
      ] as const) {
        const seen = await this.replayed(prefix, from, batchMax);
        const due = expected.filter(({ position }) => from === 'start' || position > from);
        expect(seen.map(({ stream: name, revision, position }) => [name, revision, position])).toEqual(
          due.map(({ stream: name, revision, position }) => [name, revision, position]),
        );
      }
    }
    expect(await this.opened.end()).toBe(this.model.end === 0 ? '' : positionText(this.model.end));
  }

  private async replayed(prefix: string, from: string, batchMax: number): Promise<RecordedEvent[]> {
    const seen: RecordedEvent[] = [];
    await new Promise<void>((resolve) => {
      const subscription = this.opened.subscribe(
        { name: 'history', prefixes: [prefix], from, batchMax, onCaughtUp: resolve },
        async (events) => {
          seen.push(...events);
        },
      );
      subscription.ended.catch(() => undefined);
    });
    return seen;
  }
}
