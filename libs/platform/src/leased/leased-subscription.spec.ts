import { Logger } from '@nestjs/common';
import { MemoryEventStore, MemoryLeases } from '@aos/adapters/memory';
import {
  CheckpointConflict,
  StoreUnavailable,
  type Demand,
  type EventSubscription,
  type RecordedEvent,
  type SubscribeOptions,
} from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { LeasedSubscription, type LeasedConsumer } from './leased-subscription.js';
import { projectionVerdict } from './verdict.js';

Logger.overrideLogger(false);

const lease = 'projector:things@1';
const leaseMs = 15_000;
const thirdMs = leaseMs / 3;

/** Knows how many subscriptions were open at once. */
class CountedStore extends MemoryEventStore {
  private open = 0;
  openMax = 0;

  override subscribe(
    options: SubscribeOptions,
    handler: (events: RecordedEvent[]) => Promise<void>,
  ): EventSubscription {
    const subscription = super.subscribe(options, handler);
    this.open += 1;
    this.openMax = Math.max(this.openMax, this.open);
    const ended = () => {
      this.open -= 1;
    };
    subscription.ended.then(ended, ended);
    return subscription;
  }
}

/** Answers when the gate in front of it has let it through. */
class GatedLeases extends MemoryLeases {
  beforeAcquire: () => Promise<void> = () => Promise.resolve();
  beforeRenew: () => Promise<void> = () => Promise.resolve();
  renewals = 0;

  override async acquire(name: string, owner: string, ttlMs: number): Promise<boolean> {
    await this.beforeAcquire();
    return super.acquire(name, owner, ttlMs);
  }

  override async renew(name: string, owner: string, ttlMs: number): Promise<boolean> {
    this.renewals += 1;
    await this.beforeRenew();
    return super.acquire(name, owner, ttlMs);
  }
}

/** A promise that somebody else settles. */
function gate() {
  let open: () => void = () => undefined;
  let refuse: (reason: Error) => void = () => undefined;
  const passed = new Promise<void>((resolve, reject) => {
    [open, refuse] = [resolve, reject];
  });
  return {
    passed,
    open: () => {
      open();
    },
    refuse: (reason: Error) => {
      refuse(reason);
    },
  };
}

/** Everything that was under way has come as far as it can without the clock. */
const settled = () =>
  new Promise<void>((resolve) => {
    setImmediate(resolve);
  });

function world(own: Partial<LeasedConsumer> = {}) {
  const clock = new ManualClock();
  const store = new CountedStore({ clock });
  const leases = new GatedLeases(clock);
  const told: string[] = [];
  const seen: number[] = [];
  let from: string | 'start' = 'start';
  const consumer: LeasedConsumer = {
    lease,
    owner: 'me',
    leaseMs,
    log: new Logger('things'),
    verdict: projectionVerdict,
    claimed: async () => {
      told.push('claimed');
      return { prefixes: ['thing-'], from };
    },
    handle: async (events) => {
      seen.push(...events.map(({ revision }) => revision));
      from = events.at(-1)?.position ?? from;
    },
    followed: async () => {
      told.push('followed');
    },
    interrupted: () => {
      told.push('interrupted');
    },
    stopped: () => {
      told.push('stopped');
    },
    settle: async () => {
      told.push('settled');
    },
    ...own,
  };
  let last = -1;
  const happen = async () => {
    ({ revision: last } = await store.append('thing-1', last < 0 ? 'none' : last, [
      { id: `event-${last + 1}`, type: 'Happened', data: {}, meta: {} },
    ]));
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settled();
  };
  const leased = new LeasedSubscription({ store, leases, clock }, consumer);
  const start = async () => {
    leased.start();
    await settled();
  };
  return {
    clock,
    store,
    leases,
    told,
    seen,
    leased,
    consumer,
    happen,
    pass,
    start,
    holder: async () => (await leases.holders([lease]))[0],
  };
}

describe('a leased subscription', () => {
  it('reads what is there and what comes, and keeps its lease however long nothing happens', async () => {
    const { seen, leased, leases, happen, pass, start, holder } = world();
    await happen();
    await start();
    await happen();
    await eventually('read', () => seen.length === 2);
    for (let thirds = 1; thirds <= 30; thirds += 1) {
      await pass(thirdMs);
      expect([await holder(), leases.renewals]).toEqual(['me', thirds]);
    }
    expect([leased.active, leased.failure]).toEqual([true, null]);
    await leased.close();
    expect(await holder()).toBeNull();
  });

  it('follows while somebody else holds the lease, and takes it over once that lapsed', async () => {
    const { told, seen, leased, leases, happen, pass, start } = world();
    await leases.acquire(lease, 'other', leaseMs);
    await happen();
    await start();
    await pass(thirdMs);
    expect([told, leased.active]).toEqual([['followed', 'followed'], false]);
    await pass(thirdMs);
    await pass(thirdMs);
    expect(told.at(-1)).toBe('claimed');
    await eventually('read', () => seen.length === 1);
    await leased.close();
  });

  it('ends when the lease was lost, and goes on where it stood when it is free again', async () => {
    const { told, seen, store, leased, leases, happen, pass, start } = world();
    await start();
    await happen();
    await eventually('read', () => seen.length === 1);
    await leases.release(lease, 'me');
    await leases.acquire(lease, 'other', leaseMs);
    await pass(thirdMs);
    expect([told, leased.active]).toEqual([['claimed', 'interrupted'], false]);
    await happen();
    await pass(thirdMs);
    expect([told.at(-1), seen]).toEqual(['followed', [0]]);
    await leases.release(lease, 'other');
    await pass(thirdMs);
    await eventually('read on', () => seen.length === 2);
    expect([seen, store.openMax]).toEqual([[0, 1], 1]);
    await leased.close();
  });

  it.each([
    [
      'that the lease is kept',
      async (renewal: ReturnType<typeof gate>) => {
        renewal.open();
      },
    ],
    [
      'that it is lost',
      async (renewal: ReturnType<typeof gate>, leases: GatedLeases) => {
        await leases.release(lease, 'me');
        await leases.acquire(lease, 'other', thirdMs);
        renewal.open();
      },
    ],
    [
      'with a fault',
      async (renewal: ReturnType<typeof gate>) => {
        renewal.refuse(new StoreUnavailable('away'));
      },
    ],
  ])('begins one subscription only when a renewal meets another fault and answers %s', async (_what, answer) => {
    const renewal = gate();
    const faults: Error[] = [new CheckpointConflict('things@1', null)];
    const { told, seen, store, leases, leased, happen, pass, start } = world({
      handle: async (events) => {
        const fault = faults.shift();
        if (fault) throw fault;
        seen.push(...events.map(({ revision }) => revision));
      },
    });
    await start();
    leases.beforeRenew = () => renewal.passed;
    await pass(thirdMs);
    await happen();
    await eventually('the fault was met', () => told.includes('interrupted'));
    await answer(renewal, leases);
    leases.beforeRenew = () => Promise.resolve();
    for (let thirds = 0; thirds < 6; thirds += 1) await pass(thirdMs);
    await eventually('read', () => seen.length > 0);
    expect([told.filter((what) => what === 'claimed').length, seen, store.openMax]).toEqual([2, [0], 1]);
    await leased.close();
  });

  it('is given again what may pass, and claims again after what may not', async () => {
    const faults: Error[] = [new StoreUnavailable('away'), new CheckpointConflict('things@1', null)];
    const { told, seen, leased, happen, pass, start } = world({
      handle: async (events) => {
        const fault = faults.shift();
        if (fault) throw fault;
        seen.push(...events.map(({ revision }) => revision));
      },
    });
    await start();
    await happen();
    await eventually('the first fault was met', () => faults.length === 1);
    expect(told).toEqual(['claimed']);
    await settled();
    await pass(100); // less than a third of a lease: the subscription's own pause
    await eventually('the second one ended it', () => told.length === 2);
    await settled();
    await pass(thirdMs);
    await eventually('read', () => seen.length === 1);
    expect([told, leased.failure]).toEqual([['claimed', 'interrupted', 'claimed'], null]);
    await leased.close();
  });

  it('tries a claim again whose store was away', async () => {
    const faults: Error[] = [new StoreUnavailable('away')];
    const { told, leased, pass, start } = world({
      claimed: async () => {
        told.push('claimed');
        const fault = faults.shift();
        if (fault) throw fault;
        return { prefixes: ['thing-'], from: 'start' };
      },
    });
    await start();
    expect([told, leased.active]).toEqual([['claimed', 'interrupted'], false]);
    await pass(thirdMs);
    expect([told, leased.active]).toEqual([['claimed', 'interrupted', 'claimed'], true]);
    await leased.close();
  });

  it.each([
    ['between two renewals', false],
    ['while it renews', true],
  ])('stops loudly at what cannot pass, %s, and leaves the lease to lapse', async (_when, isRenewing) => {
    const fault = new Error('unknown event');
    const renewal = gate();
    const { clock, told, leases, leased, happen, pass, start, holder } = world({ handle: () => Promise.reject(fault) });
    await start();
    leases.beforeRenew = () => renewal.passed;
    if (isRenewing) await pass(thirdMs);
    await happen();
    await eventually('stopped', () => leased.failure !== null);
    renewal.open();
    await settled();
    expect([leased.failure, told, clock.pendingTimers]).toEqual([fault, ['claimed', 'stopped'], 0]);
    await pass(leaseMs);
    expect([await holder(), leases.renewals]).toEqual([null, isRenewing ? 1 : 0]);
    await leased.close();
  });

  it('claims again when what it stands on is lost, and asks again when that cannot be told', async () => {
    const answers: (boolean | Error)[] = [true, new StoreUnavailable('away'), false];
    const { told, leased, store, pass, start } = world({
      renewMs: 1000,
      isSound: async () => {
        const answer = answers.shift() ?? true;
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
    await start();
    await pass(1000);
    await pass(1000);
    expect([answers, told]).toEqual([[false], ['claimed']]);
    await pass(1000);
    expect(told).toEqual(['claimed', 'interrupted']);
    await pass(thirdMs);
    expect([told, store.openMax]).toEqual([['claimed', 'interrupted', 'claimed'], 1]);
    await leased.close();
  });
});

/** Knows how many hold it. */
function countedDemand() {
  let holders = 0;
  const demand: Demand = {
    get isPresent() {
      return holders > 0;
    },
    onArrival: () => ({ cancel: () => undefined }),
    hold: () => {
      holders += 1;
      return () => {
        holders -= 1;
      };
    },
  };
  return { demand, holders: () => holders };
}

describe('TP10: a leased subscription holds the demand for what it makes', () => {
  it('from its claim until it has read everything', async () => {
    const { demand, holders } = countedDemand();
    const during: number[] = [];
    const { happen, start, leased } = world({
      demand,
      claimed: async () => {
        during.push(holders());
        return { prefixes: ['thing-'], from: 'start' };
      },
      handle: async () => {
        during.push(holders());
      },
    });
    await happen();
    await start();
    await eventually('caught up', () => holders() === 0);
    await happen();
    await eventually('read on', () => during.length === 3);
    expect(during).toEqual([1, 1, 0]);
    await leased.close();
    expect(holders()).toBe(0);
  });

  it('while a batch is full, because more may wait behind it', async () => {
    const { demand, holders } = countedDemand();
    const batches: [number, number][] = [];
    const { passed, open } = gate();
    const { happen, start, leased } = world({
      demand,
      claimed: async () => ({ prefixes: ['thing-'], from: 'start', batchMax: 2 }),
      handle: async (events) => {
        batches.push([events.length, holders()]);
        if (batches.length === 1) await passed;
      },
    });
    await start();
    await eventually('caught up', () => holders() === 0);
    for (let n = 0; n < 4; n += 1) await happen();
    open();
    await eventually('all is read', () => batches.length === 3 && holders() === 0);
    expect(batches).toEqual([
      [1, 0],
      [2, 1],
      [1, 0],
    ]);
    await leased.close();
  });

  it('when it closes, so that the batch in hand is not waited for long', async () => {
    const { demand, holders } = countedDemand();
    const batch = gate();
    let isHandling = false;
    const { happen, start, leased } = world({
      demand,
      handle: () => {
        isHandling = true;
        return batch.passed;
      },
    });
    await start();
    await happen();
    await eventually('a batch is in hand', () => isHandling && holders() === 0);
    const closed = leased.close();
    expect(holders()).toBe(1);
    batch.open();
    await closed;
    expect(holders()).toBe(0);
  });

  it('no more once the lease is lost or it has stopped', async () => {
    const { demand, holders } = countedDemand();
    const fault = new Error('unknown event');
    const { happen, start, leased } = world({ demand, handle: () => Promise.reject(fault) });
    await happen();
    await start();
    await eventually('stopped', () => leased.failure === fault);
    expect(holders()).toBe(0);
    await leased.close();
  });
});

describe('closing a leased subscription', () => {
  it.each(['acquire', 'claim'])('leaves nothing behind while it is about to %s', async (step) => {
    const { passed, open } = gate();
    const { clock, told, store, leases, leased, start, holder, consumer } = world();
    const { claimed } = consumer;
    if (step === 'acquire') leases.beforeAcquire = () => passed;
    else consumer.claimed = () => passed.then(claimed);
    await start();
    await leased.close();
    open();
    await settled();
    expect([told, store.openMax]).toEqual([step === 'acquire' ? [] : ['claimed'], 0]);
    expect([await holder(), clock.pendingTimers, leased.active]).toEqual([null, 0, false]);
  });

  it('leaves no timer while somebody else holds the lease', async () => {
    const { clock, leases, leased, start, holder } = world();
    await leases.acquire(lease, 'other', leaseMs);
    await start();
    await leased.close();
    expect([await holder(), clock.pendingTimers]).toEqual(['other', 0]);
  });

  it.each([
    ['it reads', false],
    ['a lost lease has interrupted it', true],
  ])('waits for the batch in hand while %s', async (_when, isInterrupted) => {
    const batch = gate();
    const { clock, told, leases, leased, happen, pass, start, holder } = world({
      handle: async () => {
        told.push('handling');
        await batch.passed;
        told.push(`handled for ${(await holder()) ?? 'nobody'}`);
      },
      settle: async () => {
        told.push(`settled for ${(await holder()) ?? 'nobody'}`);
      },
    });
    await start();
    await happen();
    await eventually('a batch is in hand', () => told.includes('handling'));
    if (isInterrupted) {
      await leases.release(lease, 'me');
      await leases.acquire(lease, 'other', leaseMs);
      await pass(thirdMs);
    }
    const closed = leased.close().then(() => told.push('closed'));
    await settled();
    batch.open();
    await closed;
    const steps = isInterrupted ? ['interrupted', 'handled for other'] : ['handled for me', 'settled for me'];
    expect(told).toEqual(['claimed', 'handling', ...steps, 'closed']);
    expect([await holder(), clock.pendingTimers]).toEqual([isInterrupted ? 'other' : null, 0]);
  });
});
