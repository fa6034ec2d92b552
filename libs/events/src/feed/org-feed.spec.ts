import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import type { BusSubscription, Demand, Position, ReadRow } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { MemoryReadStore } from '@aos/adapters/memory';
import { CursorSeal, KeyRing } from '@aos/platform';
import { FeedNotifier } from '../notifiers/feed-notifier.js';
import { orgA } from '../testing/events.fixture.js';
import { EventFeed } from './event-feed.js';
import { feedCollection, feedRow } from './feed.projection.js';
import { OrgFeeds } from './org-feeds.js';

Logger.overrideLogger(false);

const positionOf = (n: number): Position => String(n).padStart(20, '0');

/** The row of the `n`-th event; the first is 1. */
function rowOf(n: number): ReadRow {
  return feedRow(
    {
      orgId: orgA,
      position: positionOf(n),
      revision: n,
      stream: 's',
      receivedAt: '2026-01-01T00:00:00.000Z',
      reach: {},
      envelope: { event_type: 'a.b.c', source_kind: 'k', source_id: 's', event: { n }, meta: {} },
    },
    n === 1 ? '' : positionOf(n - 1),
  );
}

/** A notifier that a test drives. */
class ManualNotifier extends FeedNotifier {
  override healthy = true;
  notify: (position: Position) => void = () => undefined;

  override watch(_orgId: string, notify: (position: Position) => void): BusSubscription {
    this.notify = notify;
    return {
      ready: Promise.resolve(),
      close: () => {
        this.notify = () => undefined;
      },
    };
  }
}

/** Knows how many wait for rows of the feed. */
class DemandedRows extends MemoryReadStore {
  holders = 0;

  override demand(projection: string): Demand {
    expect(projection).toBe(feedCollection);
    return {
      ...super.demand(projection),
      hold: () => {
        this.holders += 1;
        return () => {
          this.holders -= 1;
        };
      },
    };
  }
}

async function watching(at = 0) {
  const clock = new ManualClock();
  const rows = new DemandedRows();
  for (let n = 1; n <= at; n += 1) await rows.put([rowOf(n)]);
  const notifier = new ManualNotifier();
  const feeds = new OrgFeeds(
    new EventFeed(rows, new CursorSeal(new KeyRing([{ keyId: 'k', secret: Buffer.alloc(32, 1) }]))),
    notifier,
    clock,
  );
  const { feed, release } = await feeds.watch(orgA);
  const seen: number[] = [];
  let position = positionOf(at) === positionOf(0) ? '' : positionOf(at);
  const read = async () => {
    for (let next = await feed.after(position); next.length > 0; next = await feed.after(position)) {
      seen.push(...next.map(({ row }) => Number(row.envelope.event.n)));
      position = next.at(-1)?.row.position ?? position;
    }
  };
  let reading = Promise.resolve();
  feed.onMore(() => {
    reading = reading.then(read);
  });
  return { clock, rows, notifier, feeds, feed, release, seen };
}

const upTo = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

describe('a followed feed', () => {
  it('gives rows at a ring; without rings within 15 s, and within 1 s while the bell is unhealthy', async () => {
    const { clock, rows, notifier, seen } = await watching();
    await rows.put([rowOf(1)]);
    notifier.notify(positionOf(1));
    await eventually('rung', () => seen.length === 1);
    await rows.put([rowOf(2)]);
    clock.advance(15_000);
    await eventually('looked', () => seen.length === 2);
    notifier.healthy = false;
    clock.advance(1000);
    await rows.put([rowOf(3)]);
    clock.advance(1000);
    await eventually('looked soon', () => seen.length === 3);
    expect(seen).toEqual([1, 2, 3]);
  });

  it('looks again when a ring came before its row', async () => {
    const { clock, rows, notifier, seen } = await watching(3);
    notifier.notify(positionOf(4));
    await eventually('a look for it is due', () => clock.pendingTimers > 1);
    await rows.put([rowOf(4)]);
    clock.advance(50);
    await eventually('given', () => seen.length === 1);
    expect(seen).toEqual([4]);
  });

  it('gives nothing behind a gap until the missing row is there', async () => {
    const { clock, rows, notifier, seen } = await watching();
    for (const n of [1, 3, 4]) await rows.put([rowOf(n)]);
    notifier.notify(positionOf(4));
    await eventually('up to the gap', () => seen.length === 1);
    clock.advance(1000);
    expect(seen).toEqual([1]);
    await rows.put([rowOf(2)]);
    notifier.notify(positionOf(4));
    await eventually('whole', () => seen.length === 4);
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('TP10: is waited for as long as it is watched', async () => {
    const { rows, feeds, release } = await watching();
    const another = await feeds.watch(orgA);
    expect(rows.holders).toBe(1);
    release();
    expect(rows.holders).toBe(1);
    another.release();
    expect(rows.holders).toBe(0);
  });

  it('lets go of what nobody watches', async () => {
    const { clock, feeds, release } = await watching();
    expect(feeds.size).toBe(1);
    release();
    release();
    await eventually('gone', () => feeds.size === 0);
    clock.advance(2000);
    expect(clock.pendingTimers).toBe(0);
  });

  it('whatever rings are lost, repeated or early: every row once, in order', async () => {
    const step = fc.oneof(fc.constant('row'), fc.constant('ring'), fc.constant('early'), fc.constant('old'));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { clock, rows, notifier, seen, release } = await watching();
        let written = 0;
        for (const one of steps) {
          if (one === 'row') await rows.put([rowOf((written += 1))]);
          if (one === 'ring') notifier.notify(positionOf(written));
          if (one === 'early') notifier.notify(positionOf(written + 3));
          if (one === 'old') notifier.notify(positionOf(1));
          clock.advance(10);
        }
        await eventually('all', () => {
          clock.advance(1000);
          return seen.length >= written;
        });
        expect(seen).toEqual(upTo(written));
        release();
      }),
      { numRuns: 30 },
    );
  });

  it('serves readers far behind from the rows, and those near the end from what it holds', async () => {
    const { feed, rows, notifier, seen } = await watching();
    for (const n of upTo(300)) await rows.put([rowOf(n)]);
    notifier.notify(positionOf(300));
    await eventually('all', () => seen.length === 300);
    expect((await feed.after('')).length).toBe(32);
    expect((await feed.after(positionOf(299))).map(({ row }) => row.position)).toEqual([positionOf(300)]);
    expect(await feed.after(positionOf(300))).toEqual([]);
  });
});
