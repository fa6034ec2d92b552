import { MemoryEventStore } from '@aos/adapters/memory';
import { SystemClock } from '@aos/adapters/system';
import { Stop, type EventStore, type RecordedEvent, type SubscribeOptions } from '@aos/kernel';
import { ManualClock, eventually, whileTimePasses } from '@aos/kernel/testing';
import { eventStoreContract } from '@aos/kernel/contracts';
import { CatchUp } from './catch-up.js';
import { passBatchMax, rewoundMax } from './catch-up-pass.js';

class JoinedEventStore extends MemoryEventStore {
  private joined: CatchUp | null = null;

  override subscribe(...[options, handler]: Parameters<EventStore['subscribe']>): ReturnType<EventStore['subscribe']> {
    const alone = { subscribe: super.subscribe.bind(this) };
    this.joined ??= new CatchUp(alone, this.ownClock);
    return this.joined.subscribe(options, handler);
  }

  constructor(private readonly ownClock: SystemClock) {
    super({ clock: ownClock });
  }
}

eventStoreContract('memory, readers that are behind read together', async () => {
  const store = new JoinedEventStore(new SystemClock());
  return { store, close: () => store.close() };
});

const eventsMany = 3 * passBatchMax;

/** A log of two categories, an event of the one after one of the other. */
async function world(count = eventsMany) {
  const clock = new ManualClock();
  const store = new MemoryEventStore({ clock });
  for (let n = 0; n < count; n += 1)
    await store.append(`${n % 2 ? 'odd' : 'even'}-${n}`, 'none', [
      { id: String(n), type: 'Happened', data: { n }, meta: {} },
    ]);
  const reads = { events: 0, subscriptions: 0, batches: [] as number[] };
  const log = {
    subscribe: (options: SubscribeOptions, handler: (events: RecordedEvent[]) => Promise<void>) => {
      reads.subscriptions += 1;
      return store.subscribe(options, async (events) => {
        reads.events += events.length;
        reads.batches.push(events.length);
        await handler(events);
      });
    },
  };
  const catchUp = new CatchUp(log, clock);
  const reader = (prefixes: string[], handle: (events: RecordedEvent[]) => Promise<void> = async () => undefined) => {
    const seen: number[] = [];
    const troubles: unknown[] = [];
    let isCaughtUp = false;
    const subscription = catchUp.subscribe(
      {
        name: prefixes.join(),
        prefixes,
        from: 'start',
        onCaughtUp: () => {
          isCaughtUp = true;
        },
        onTrouble: (error) => troubles.push(error),
      },
      async (events) => {
        await handle(events);
        for (const { data } of events) seen.push(data['n'] as number);
      },
    );
    const caughtUp = () => eventually(`${prefixes.join()} has caught up`, () => isCaughtUp);
    return { seen, troubles, subscription, caughtUp, isCaughtUp: () => isCaughtUp };
  };
  const close = async (...readers: ReturnType<typeof reader>[]) => {
    await Promise.all(readers.map(({ subscription }) => subscription.close()));
    await store.close();
    expect(clock.pendingTimers).toBe(0);
  };
  return { clock, store, reads, reader, close };
}

/** Stops those that pass until they are let go, one or all. */
function gate() {
  let calls = 0;
  let isOpen = false;
  let release: () => void = () => undefined;
  return {
    pass: async () => {
      calls += 1;
      if (!isOpen && (calls === 1 || calls >= 4))
        await new Promise<void>((resolve) => {
          release = resolve;
        });
    },
    reached: (call: number) => eventually(`call ${call}`, () => calls >= call),
    release: () => {
      release();
    },
    open: () => {
      isOpen = true;
      release();
    },
  };
}

const numbers = (count: number, test: (n: number) => boolean = () => true) =>
  Array.from({ length: count }, (_, n) => n).filter(test);

describe('readers that are behind', () => {
  it('TP19: read each event once for all, in batches of 512, each its own in order', async () => {
    const { reads, reader, close } = await world();
    const readers = [reader(['odd-']), reader(['even-']), reader(['odd-', 'even-']), reader(['odd-'])];
    await Promise.all(readers.map(({ caughtUp }) => caughtUp()));
    expect(reads).toMatchObject({ events: eventsMany, batches: [passBatchMax, passBatchMax, passBatchMax] });
    const odd = numbers(eventsMany, (n) => n % 2 === 1);
    const even = numbers(eventsMany, (n) => n % 2 === 0);
    expect(readers.map(({ seen }) => seen)).toEqual([odd, even, numbers(eventsMany), odd]);
    await close(...readers);
  });

  it('read one batch ahead of those that work, and no more', async () => {
    const { reads, reader, close } = await world();
    let release: () => void = () => undefined;
    const slow = reader(
      ['odd-'],
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    const quick = reader(['even-']);
    await eventually('the second batch was given', () => quick.seen.length === passBatchMax);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect([slow.seen.length, quick.seen.length]).toEqual([0, passBatchMax]);
    const closing = slow.subscription.close();
    release();
    await closing;
    await quick.caughtUp();
    expect(reads.events).toBeLessThanOrEqual(eventsMany + passBatchMax);
    await close(quick);
  });

  it('are not held up for longer than some seconds by one that is slow, which misses nothing', async () => {
    const { clock, reader, close } = await world();
    let release: () => void = () => undefined;
    let calls = 0;
    const slow = reader(['odd-'], async () => {
      calls += 1;
      if (calls === 1)
        await new Promise<void>((resolve) => {
          release = resolve;
        });
    });
    const quick = reader(['even-']);
    await whileTimePasses(clock, 100, quick.caughtUp());
    expect(slow.isCaughtUp()).toBe(false);
    release();
    await slow.caughtUp();
    expect(slow.seen).toEqual(numbers(eventsMany, (n) => n % 2 === 1));
    await close(slow, quick);
  });

  it('go on when one fails, which gets the same events again', async () => {
    const { clock, reader, close } = await world();
    let failures = 3;
    const failing = reader(['odd-'], async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('not now');
    });
    const other = reader(['even-']);
    await other.caughtUp();
    await whileTimePasses(clock, 10, failing.caughtUp());
    expect(failing.troubles).toHaveLength(3);
    expect(failing.seen).toEqual(numbers(eventsMany, (n) => n % 2 === 1));
    await close(failing, other);
  });

  it('go on when one stops for good', async () => {
    const { reader, close } = await world();
    const stopping = reader(['odd-'], async () => {
      throw new Stop('unknown event');
    });
    const other = reader(['even-']);
    await expect(stopping.subscription.ended).rejects.toThrow('unknown event');
    await other.caughtUp();
    expect(other.seen).toHaveLength(eventsMany / 2);
    await close(stopping, other);
  });

  it('begin anew for one that comes soon after, and leave one that comes late to itself', async () => {
    const count = 2 * rewoundMax * passBatchMax;
    const { reads, reader, close } = await world(count);
    const odd = gate();
    const first = reader(['odd-'], odd.pass);
    await odd.reached(1);
    const soon = reader(['even-']);
    for (let batches = 2; batches <= rewoundMax + 1; batches += 1) {
      odd.release();
      await odd.reached(batches);
    }
    const stuck = gate();
    const late = reader(['odd-', 'even-'], stuck.pass);
    await stuck.reached(1);
    odd.open();
    await Promise.all([first.caughtUp(), soon.caughtUp()]); // not held up by the late one, and no time passes
    stuck.open();
    await late.caughtUp();
    expect([first, soon, late].map(({ seen }) => seen)).toEqual([
      numbers(count, (n) => n % 2 === 1),
      numbers(count, (n) => n % 2 === 0),
      numbers(count),
    ]);
    expect(reads.events).toBeLessThanOrEqual(2.5 * count);
    await close(first, soon, late);
  });

  it('have caught up though more comes than they have handled, and a store tells only once that it has given all', async () => {
    const { clock, store, close } = await world(0);
    const append = (n: number) =>
      store.append(`odd-${n}`, 'none', [{ id: String(n), type: 'Happened', data: { n }, meta: {} }]);
    await append(0);
    const seen: number[] = [];
    let caughtUp = 0;
    const telling = gate();
    const log = {
      subscribe: (options: SubscribeOptions, handler: (events: RecordedEvent[]) => Promise<void>) => {
        let isTold = false;
        const onCaughtUp = () => {
          if (!isTold) options.onCaughtUp?.();
          isTold = true;
        };
        return store.subscribe({ ...options, onCaughtUp }, handler);
      },
    };
    const subscription = new CatchUp(log, clock).subscribe(
      {
        name: 'odd',
        prefixes: ['odd-'],
        from: 'start',
        onCaughtUp: () => {
          caughtUp += 1;
        },
      },
      async (events) => {
        await telling.pass();
        for (const { data } of events) seen.push(data['n'] as number);
      },
    );
    await telling.reached(1);
    await append(1);
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    telling.open();
    await eventually('it has caught up', () => caughtUp === 1);
    await append(2);
    await eventually('it reads on', () => seen.length >= 3);
    expect(seen).toEqual([0, 1, 2]);
    await subscription.close();
    await close();
  });

  it('end a close when the batch that was being handled has ended', async () => {
    const { reader, close } = await world();
    let release: () => void = () => undefined;
    const slow = reader(
      ['odd-'],
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    await eventually('it works', () => release.length === 1);
    let isClosed = false;
    const closing = slow.subscription.close().then(() => {
      isClosed = true;
    });
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    release();
    await closing;
    await slow.subscription.ended;
    await close();
  });
});
