import type { RecordedEvent, SubscribeOptions } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { LogSubscription } from './log-subscription.js';
import { LogTail, TailEntry } from './log-tail.js';
import { RowDemand } from './row-demand.js';

/** Everything that is under way has come as far as it can without the clock. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
}

function world(options: (clock: ManualClock) => Partial<SubscribeOptions> = () => ({})) {
  const clock = new ManualClock();
  const tail = new LogTail(0);
  const batches: number[][] = [];
  let [last, caughtUp] = [0, 0];
  const source = {
    after(position: number, _prefixes: readonly string[], limit: number) {
      const events = tail.after(position, limit);
      return { events: [...events] as RecordedEvent[], upTo: events.at(-1)?.at ?? position };
    },
  };
  const subscription = new LogSubscription(
    source,
    clock,
    0,
    {
      name: 'things',
      prefixes: ['thing-'],
      from: 'start',
      onCaughtUp: () => {
        caughtUp += 1;
      },
      ...options(clock),
    },
    async (events) => {
      batches.push(events.map(({ revision }) => revision));
    },
    () => undefined,
  );
  /** One event is appended, and the store says so. */
  const happen = async () => {
    last += 1;
    const entry = new TailEntry(last, 'thing-1', last, {
      ...{ id: `event-${last}`, type: 'Happened', version: null, flags: 0 },
      ...{ meta: '{}', data: '{}' },
    });
    tail.push(entry);
    subscription.notify([entry], new Set([entry.stream]));
    await settled();
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settled();
  };
  return { clock, subscription, batches, happen, pass, caughtUp: () => caughtUp };
}

/** A subscription whose rows are not waited for. */
async function paced() {
  let demand!: RowDemand;
  const all = world((clock) => ({ demand: (demand = new RowDemand(clock)) }));
  await all.pass(50);
  return { ...all, demand };
}

describe('TP10: a subscription of the log', () => {
  it('gets each event at once when it names no demand, as reactors and relays do', async () => {
    const { batches, happen, subscription, clock } = world();
    await settled();
    await happen();
    await happen();
    expect([batches, clock.pendingTimers]).toEqual([[[1], [2]], 0]);
    await subscription.close();
  });

  it('gets what came within 50 ms together while nothing that it makes is waited for', async () => {
    const { batches, happen, pass, subscription, clock } = await paced();
    await happen();
    await happen();
    await pass(49);
    expect(batches).toEqual([]);
    await pass(1);
    expect(batches).toEqual([[1, 2]]);
    await happen();
    await happen();
    await pass(49);
    expect(batches).toEqual([[1, 2]]);
    await pass(1);
    expect(batches).toEqual([
      [1, 2],
      [3, 4],
    ]);
    await pass(50);
    expect(clock.pendingTimers).toBe(0);
    await subscription.close();
  });

  it('gets them at once when a reader comes, and each at once while it stays', async () => {
    const { batches, happen, subscription, demand } = await paced();
    await happen();
    expect(batches).toEqual([]);
    const release = demand.hold();
    await settled();
    expect(batches).toEqual([[1]]);
    await happen();
    expect(batches).toEqual([[1], [2]]);
    release();
    await happen();
    expect(batches).toEqual([[1], [2]]);
    await subscription.close();
  });

  it('gets them at once when its rows are asked for, and for a second from then on', async () => {
    const { batches, happen, pass, subscription, demand } = await paced();
    await happen();
    demand.ask();
    await settled();
    expect(batches).toEqual([[1]]);
    await pass(999);
    await happen();
    expect(batches).toEqual([[1], [2]]);
    await pass(1);
    await happen();
    expect(batches).toEqual([[1], [2]]);
    await subscription.close();
  });

  it('ends at once, without a timer, while events gather', async () => {
    const { batches, happen, subscription, clock } = await paced();
    await happen();
    expect(clock.pendingTimers).toBe(1);
    await subscription.close();
    expect([batches, clock.pendingTimers]).toEqual([[], 0]);
  });

  it('has caught up once, at first without any pause when it is demanded', async () => {
    const { subscription, caughtUp, clock } = world((clock) => {
      const demand = new RowDemand(clock);
      demand.hold();
      return { demand };
    });
    await settled();
    expect([caughtUp(), clock.pendingTimers]).toEqual([1, 0]);
    await subscription.close();
  });
});
