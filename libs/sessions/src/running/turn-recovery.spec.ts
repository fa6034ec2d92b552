import { MemoryLeases, MemoryReadStore } from '@aos/adapters/memory';
import { StoreUnavailable, type EventStore, collectionOf, laneOf } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { Recoveries, type Decisions, type Ownership, type Projectors } from '@aos/platform';
import { openTurnsBefore, openTurnsProjection } from '../session/open-turns.projection.js';
import type { TurnQueue } from './turn-queue.js';
import { TurnRecovery } from './turn-recovery.js';
import { leaseName } from './turn-runner.js';

const secondMs = 1000;

/** Counts how often the open turns were read. */
class CountedReadStore extends MemoryReadStore {
  looks = 0;
  failure: Error | null = null;

  /** Each look asks once for all lanes. */
  override async occupied(...asked: Parameters<MemoryReadStore['occupied']>): Promise<(readonly string[])[]> {
    this.looks += 1;
    if (this.failure) throw this.failure;
    return super.occupied(...asked);
  }
}

const openTurn = (id: string) => ({
  turn: { id, status: 'running' },
  epoch: 1,
  calls: 0,
  nextIndex: 0,
  ordinal: 1,
  pending: [],
});

function world({ soleWriter }: { soleWriter: boolean }) {
  const clock = new ManualClock();
  const readStore = new CountedReadStore();
  const leases = new MemoryLeases(clock);
  const ownership = {
    isDraining: false,
    foreign: new Set<string>(),
    owns: (stream: string) => !ownership.foreign.has(stream),
  };
  const turnQueue = {
    hasRoom: true,
    hasDeferred: false,
    left: [] as string[],
    considered: [] as string[],
    enqueued: [] as string[],
    doubtful: new Map<string, string>(),
    failure: null as Error | null,
  };
  const recovery = new TurnRecovery(
    new Recoveries({ soleWriter } as EventStore, readStore, { caughtUp: true } as Projectors, leases, clock, {
      leaseSeconds: 30,
    }),
    {
      load: (_kind: unknown, id: string) => {
        if (turnQueue.failure) return Promise.reject(turnQueue.failure);
        turnQueue.considered.push(id);
        return Promise.resolve({ state: { open: new Map([['t', openTurn(`turn_of_${id}`)]]) }, revision: 0 });
      },
    } as unknown as Decisions,
    {
      holds: (sessionId: string) => sessionId === 'ses_held',
      hasRoom: () => turnQueue.hasRoom,
      takeDeferred: () => {
        turnQueue.hasDeferred = false;
      },
      defer: (orgId: string) => {
        turnQueue.left.push(orgId);
      },
      get hasDeferred() {
        return turnQueue.hasDeferred || turnQueue.doubtful.size > 0;
      },
      get doubtful() {
        return [...turnQueue.doubtful];
      },
      lost: ({ turn }: { turn: { id: string } }) => turn.id === 'turn_of_ses_doubtful',
      lookedAt: (sessionId: string) => turnQueue.doubtful.delete(sessionId),
      enqueue: ({ turnId }: { turnId: string }) => {
        turnQueue.enqueued.push(turnId);
      },
    } as unknown as TurnQueue,
    leases,
    clock,
    ownership as unknown as Ownership,
  );
  /** Time passes, a round at a time: each is armed when the one before is over. */
  const pass = async (seconds: number) => {
    for (let at = 0; at < seconds; at += 2) {
      await eventually('the next round is armed', () => clock.nextTimerAt !== null);
      clock.advance(2 * secondMs);
    }
    await eventually('the next round is armed', () => clock.nextTimerAt !== null);
  };
  const row = (key: string) => ({
    collection: collectionOf(openTurnsProjection),
    scope: [`lane-${laneOf(key)}`],
    key,
    revision: 1,
    doc: { session_id: key, org_id: 'org_1', turn_id: `turn_of_${key}` },
    index: {},
  });
  return { readStore, leases, turnQueue, recovery, ownership, pass, row };
}

describe('recovery in one process', () => {
  test('reads the open turns at the start, then every half minute, or when its dispatch left one behind', async () => {
    const { readStore, turnQueue, recovery, pass } = world({ soleWriter: true });
    recovery.onApplicationBootstrap();
    await pass(2);
    expect(readStore.looks).toBe(1);
    await pass(24);
    expect(readStore.looks).toBe(1);
    turnQueue.hasDeferred = true;
    await pass(2);
    expect(readStore.looks).toBe(2);
    await pass(32);
    expect(readStore.looks).toBe(3);
    await recovery.onApplicationShutdown();
  });

  test('reads them again at once after a round that broke off', async () => {
    const { readStore, recovery, pass } = world({ soleWriter: true });
    readStore.failure = new StoreUnavailable('away');
    recovery.onApplicationBootstrap();
    await pass(4);
    expect(readStore.looks).toBe(2);
    readStore.failure = null;
    await pass(10);
    expect(readStore.looks).toBe(3);
    await recovery.onApplicationShutdown();
  });

  test('TP11: asks the log itself, at once and until it answers, about a session whose admission has no answer', async () => {
    const { turnQueue, recovery, pass } = world({ soleWriter: true });
    recovery.onApplicationBootstrap();
    await pass(2);
    turnQueue.doubtful.set('ses_doubtful', 'org_1');
    turnQueue.failure = new StoreUnavailable('away');
    await pass(4);
    expect(turnQueue.doubtful.size).toBe(1);
    turnQueue.failure = null;
    await pass(2);
    expect([turnQueue.considered, turnQueue.enqueued]).toEqual([['ses_doubtful'], ['turn_of_ses_doubtful']]);
    expect(turnQueue.doubtful.size).toBe(0);
    await recovery.onApplicationShutdown();
  });

  test('folds none for which there is no room, and says so', async () => {
    const { readStore, turnQueue, recovery, row } = world({ soleWriter: true });
    await readStore.put([row('ses_held'), row('ses_waiting')]);
    turnQueue.hasRoom = false;
    await recovery.poll();
    expect([turnQueue.considered, turnQueue.left]).toEqual([[], ['org_1']]);
    turnQueue.hasRoom = true;
    await recovery.poll();
    expect(turnQueue.considered).toEqual(['ses_waiting']);
  });
});

test('rows that replicas of the release before look through are not dropped by this one', () => {
  expect(collectionOf(openTurnsProjection)).not.toBe(openTurnsBefore);
  expect(openTurnsProjection.retired ?? []).not.toContain(openTurnsBefore);
});

test('in a fleet the open turns are read every two seconds: others may die', async () => {
  const { readStore, recovery, pass } = world({ soleWriter: false });
  recovery.onApplicationBootstrap();
  await pass(10);
  expect(readStore.looks).toBe(5);
  await recovery.onApplicationShutdown();
});

test('in a fleet the log is read for turns without a holder only; one is taken over when no holder was seen for a lease time', async () => {
  const { readStore, leases, turnQueue, recovery, pass, row } = world({ soleWriter: false });
  await readStore.put([row('ses_a'), row('ses_b'), row('ses_held')]);
  for (const turn of ['turn_of_ses_a', 'turn_of_ses_b'])
    await leases.acquire(leaseName(turn), 'other', 1_000 * secondMs);
  recovery.onApplicationBootstrap();
  await pass(60);
  expect(turnQueue.considered).toEqual([]);
  await leases.release(leaseName('turn_of_ses_b'), 'other');
  await pass(30);
  expect(new Set(turnQueue.considered)).toEqual(new Set(['ses_b']));
  expect(turnQueue.enqueued).toEqual([]);
  await pass(2);
  expect(turnQueue.enqueued).toEqual(['turn_of_ses_b']);
  await recovery.onApplicationShutdown();
});

test('TP11: in a fleet a claim of this process that it does not run is taken over at once, and no other', async () => {
  const { readStore, turnQueue, recovery, pass, row } = world({ soleWriter: false });
  await readStore.put([row('ses_doubtful')]);
  recovery.onApplicationBootstrap();
  await pass(4);
  expect(turnQueue.enqueued).toEqual([]); // as any other, as long as it is not in doubt
  turnQueue.doubtful.set('ses_doubtful', 'org_1');
  turnQueue.doubtful.set('ses_other', 'org_1');
  await pass(2);
  expect(turnQueue.enqueued).toEqual(['turn_of_ses_doubtful']);
  await recovery.onApplicationShutdown();
});

test('a holder that comes back in between starts the lease time anew', async () => {
  const { readStore, leases, turnQueue, recovery, pass, row } = world({ soleWriter: false });
  await readStore.put([row('ses_a')]);
  recovery.onApplicationBootstrap();
  await pass(20);
  await leases.acquire(leaseName('turn_of_ses_a'), 'other', 1 * secondMs);
  await pass(0);
  await recovery.poll();
  await pass(30);
  expect(turnQueue.enqueued).toEqual([]);
  await pass(2);
  expect(turnQueue.enqueued).toEqual(['turn_of_ses_a']);
  await recovery.onApplicationShutdown();
});

describe('invariant 17: a turn whose runner died', () => {
  const leaseSeconds = 30;

  test("is taken over by its session's owner first, and 5 s later by any other replica", async () => {
    const { readStore, turnQueue, recovery, ownership, pass, row } = world({ soleWriter: false });
    await readStore.put([row('ses_own'), row('ses_a4'), row('ses_zz')]);
    ownership.foreign = new Set(['session-ses_a4', 'session-ses_zz']);
    recovery.onApplicationBootstrap();
    await pass(leaseSeconds + 2);
    expect(turnQueue.enqueued).toEqual(['turn_of_ses_own']);
    await pass(2);
    expect(turnQueue.enqueued).toEqual(['turn_of_ses_own']);
    await pass(4);
    expect(new Set(turnQueue.enqueued)).toEqual(new Set(['turn_of_ses_own', 'turn_of_ses_a4', 'turn_of_ses_zz']));
    await recovery.onApplicationShutdown();
  });

  test('is taken over at once when its owner changed meanwhile and the lease time is over', async () => {
    const { readStore, turnQueue, recovery, ownership, pass, row } = world({ soleWriter: false });
    await readStore.put([row('ses_a')]);
    ownership.foreign = new Set(['session-ses_a']);
    recovery.onApplicationBootstrap();
    await pass(leaseSeconds + 2);
    expect(turnQueue.enqueued).toEqual([]);
    ownership.foreign.clear();
    await pass(2);
    expect(turnQueue.enqueued).toEqual(['turn_of_ses_a']);
    await recovery.onApplicationShutdown();
  });

  test('is left to others by a process that goes down', async () => {
    const { readStore, turnQueue, recovery, ownership, pass, row } = world({ soleWriter: false });
    await readStore.put([row('ses_a')]);
    ownership.isDraining = true;
    recovery.onApplicationBootstrap();
    await pass(3 * leaseSeconds);
    expect([turnQueue.considered, turnQueue.enqueued]).toEqual([[], []]);
    await recovery.onApplicationShutdown();
  });
});
