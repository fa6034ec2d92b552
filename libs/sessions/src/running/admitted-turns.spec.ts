import { MemoryEventStore } from '@aos/adapters/memory';
import { StoreUnavailable, type Identity } from '@aos/kernel';
import { CountingIds, ManualClock, eventually } from '@aos/kernel/testing';
import { actorOf } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import type { AgentRecord } from '@aos/definitions/published';
import { turnId } from '../session/session.ids.js';
import { sessionKind, type OpenTurn } from '../session/session.state.js';
import { sessionWire } from '../session/session.wire.js';
import { sessionDecider } from '../session.decider.js';
import { now, openingOf, startOf } from '../testing/session.fixture.js';
import { startTurn, type StartTurn } from '../turn/start.decide.js';
import { AdmittedTurns } from './admitted-turns.js';
import { TurnQueue } from './turn-queue.js';
import type { TurnReference } from './turn-reference.js';
import type { AdmittedTurn } from './turn-run.js';
import type { TurnRunner } from './turn-runner.js';
import { TurnSlots } from './turn-slots.js';

const orgId = 'org_1';
const who: Identity = {
  orgId,
  principalId: 'svc_1',
  kind: 'service',
  apiKeyId: null,
  permissions: new Set(),
  roles: [],
  cap: null,
  requestId: 'req_1',
  ip: null,
};
const agent = { id: 'agent_1', deleted: false, wire: {} } as unknown as AgentRecord;
const idOf = (session: string) => `ses_${session.padStart(26, '0')}`;
const opening = (sessionId: string) =>
  openingOf({ id: sessionId, org_id: orgId, agent_id: agent.id, session_key: sessionId, created_by: 'svc_1' });

/** A process with one slot, whose runs end when the test ends them; what happens to its turns is noted. */
function start({ soleWriter = true } = {}) {
  const clock = new ManualClock();
  const store = new MemoryEventStore({ clock, soleWriter });
  const ids = new CountingIds();
  const decisions = memoryDecisions({ store, clock, ids });
  const other = memoryDecisions({ store, clock, ids });
  const noted: string[] = [];
  const leases = new Set<string>();
  const ends: (() => void)[] = [];
  const running = (what: string) => {
    noted.push(what);
    return new Promise<null>((resolve) => {
      ends.push(() => {
        resolve(null);
      });
    });
  };
  let admitted: AdmittedTurn | null = null;
  const runner = {
    name: 'runner_1',
    own: (id: string) => leases.add(id),
    disown: (id: string) => leases.delete(id),
    run: (reference: TurnReference) => running(`run ${reference.turnId}`),
    runAdmitted: (turn: AdmittedTurn) => {
      admitted = turn;
      return running(`run claimed ${turn.claim.reference.turnId}`);
    },
    stop: () => noted.push('stop'),
  } as unknown as TurnRunner;
  const slots = new TurnSlots(1);
  const turnQueue = new TurnQueue(runner, slots);
  const turns = new AdmittedTurns(decisions, turnQueue, runner);
  const command = (sessionId: string, overrides: Partial<StartTurn> = {}) =>
    startOf({ open: opening(sessionId), principalId: who.principalId, principalKind: who.kind, ...overrides });
  return {
    store,
    noted,
    leases,
    slots,
    turnQueue,
    ends,
    get admitted() {
      return admitted;
    },
    admit: (session: string, overrides: Partial<StartTurn> = {}) =>
      turns.start({ who, agent, sessionId: idOf(session), isNew: false }, command(idOf(session), overrides)),
    /** The same through another process, which keeps no slots. */
    elsewhere: (session: string, overrides: Partial<StartTurn> = {}) =>
      other.decide(sessionDecider.startTurn, idOf(session), actorOf(who), command(idOf(session), overrides)),
    cancelElsewhere: (session: string) =>
      other.decide(sessionDecider.cancelTurn, idOf(session), actorOf(who), {
        turnId: turnId(idOf(session), 0),
        now,
        reason: 'requested',
      }),
    /** A turn that is open and no direct one. */
    ofAnOutcome: (session: string) =>
      other.run(sessionKind, idOf(session), actorOf(who), (state, revision) =>
        startTurn(command(idOf(session)), state, revision).map((event) =>
          event.type === 'TurnQueued'
            ? { ...event, data: { ...event.data, input: { ...event.data.input, direct: false } } }
            : event,
        ),
      ),
    /** The session's first turn, which is open. */
    open: async (session: string) => {
      const { state } = await other.load(sessionKind, idOf(session));
      return state.open.get(turnId(idOf(session), 0)) as OpenTurn;
    },
    log: (session: string) => store.read(`session-${idOf(session)}`, { from: 0, limit: 100 }),
    types: async (session: string) =>
      (await store.read(`session-${idOf(session)}`, { from: 0, limit: 100 })).map(({ type }) => type),
    /** Before the next append reaches the log. */
    beforeAppend: (action: () => Promise<unknown>) => {
      store.faults = {
        beforeAppend: async () => {
          store.faults = {};
          await action();
        },
      };
    },
    get isFree() {
      return slots.mayStart(orgId) && leases.size === 0;
    },
  };
}

const settled = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('an admission with a free slot (rule TP11)', () => {
  it('claims its turn in the same append, as its agent, and runs it', async () => {
    const process = start();
    const append = jest.spyOn(process.store, 'append');
    await process.admit('a');
    expect(append).toHaveBeenCalledTimes(1);
    const log = await process.log('a');
    expect(log.map(({ type }) => type)).toEqual(['SessionOpened', 'MessageAppended', 'TurnQueued', 'TurnClaimed']);
    const turn = turnId(idOf('a'), 0);
    expect(log.map(({ meta }) => [meta.principal_id, meta.principal_kind, meta.correlation_id])).toEqual([
      ...Array.from({ length: 3 }, () => ['svc_1', 'service', undefined]),
      ['agent_1', 'agent', turn],
    ]);
    expect(process.noted).toEqual([`run claimed ${turn}`]);
    expect(process.admitted).toMatchObject({ agent, claim: { claimedAt: 3, open: { epoch: 1, runner: 'runner_1' } } });
    expect([...process.leases]).toEqual([turn]);
    expect(process.slots.mayStart(orgId)).toBe(false);
    expect(process.turnQueue.lost(await process.open('a'))).toBe(false);
  });

  it('gives what it would give without one', async () => {
    const [free, full] = [start(), start()];
    await full.admit('busy');
    const [claimed, queued] = [await free.admit('a'), await full.admit('a')];
    expect(await full.types('a')).toEqual(['SessionOpened', 'MessageAppended', 'TurnQueued']);
    expect([claimed.events, claimed.revision]).toEqual([queued.events, queued.revision]);
    expect({ ...claimed.state, open: null }).toEqual({ ...queued.state, open: null });
    const shown = [claimed, queued].map(({ state, revision }) => JSON.stringify(sessionWire(state, revision, who)));
    expect(shown[0]).toBe(shown[1]);
  });

  it('keeps the slot from others until its append is known', async () => {
    const process = start();
    process.beforeAppend(async () => {
      await process.admit('b');
      expect(process.noted).toEqual([]);
    });
    await process.admit('a');
    expect(process.noted).toEqual([`run claimed ${turnId(idOf('a'), 0)}`]);
    process.ends[0]?.();
    await settled();
    expect(process.noted.slice(1)).toEqual([`run ${turnId(idOf('b'), 0)}`]);
  });

  it('claims nothing while a turn waits for the slot', async () => {
    const process = start();
    await process.admit('a');
    await process.admit('b');
    process.ends[0]?.();
    await settled();
    await process.admit('c');
    expect(await process.types('c')).not.toContain('TurnClaimed');
    expect(process.noted.slice(1)).toEqual([`run ${turnId(idOf('b'), 0)}`]);
  });
});

describe('the slot of an admission is given back (rule TP11)', () => {
  it('on a repeat', async () => {
    const process = start();
    await process.elsewhere('a', { idempotencyKey: 'k' });
    expect((await process.admit('a', { idempotencyKey: 'k' })).events).toEqual([]);
    expect([process.isFree, process.noted]).toEqual([true, []]);
  });

  it('on a refusal', async () => {
    const process = start();
    const inactive = { agent: { status: 'inactive', timeoutSeconds: 0 } } as const;
    await expect(process.admit('a', inactive)).rejects.toMatchObject({ code: 'agent_inactive' });
    expect([process.isFree, process.turnQueue.doubtful]).toEqual([true, []]);
  });

  it('when another process admitted a turn meanwhile', async () => {
    const process = start({ soleWriter: false });
    process.beforeAppend(() => process.elsewhere('a'));
    await expect(process.admit('a')).rejects.toMatchObject({ code: 'session_turn_active' });
    expect([process.isFree, process.turnQueue.doubtful]).toEqual([true, []]);
  });

  it('when another turn of the session is open, and the turn runs as any other', async () => {
    const process = start({ soleWriter: false });
    await process.ofAnOutcome('a');
    await process.admit('a');
    expect((await process.types('a')).slice(-2)).toEqual(['MessageAppended', 'TurnQueued']);
    expect([process.noted, process.leases.size]).toEqual([[`run ${turnId(idOf('a'), 1)}`], 0]);
  });

  it('after an append without an answer, and recovery is to look', async () => {
    const process = start();
    process.store.faults = { afterAppend: () => Promise.reject(new StoreUnavailable('no answer')) };
    await expect(process.admit('a')).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await process.types('a')).toContain('TurnClaimed');
    expect([process.isFree, process.noted]).toEqual([true, []]);
    expect([process.turnQueue.doubtful, process.turnQueue.hasDeferred]).toEqual([[[idOf('a'), orgId]], true]);
    expect(process.turnQueue.lost(await process.open('a'))).toBe(true);
    process.turnQueue.lookedAt(idOf('a'));
    expect([process.turnQueue.doubtful, process.turnQueue.hasDeferred]).toEqual([[], false]);
  });

  it('and a turn that asks for it meanwhile begins', async () => {
    const process = start({ soleWriter: false });
    process.beforeAppend(async () => {
      await process.elsewhere('a');
      await process.admit('b');
    });
    await expect(process.admit('a')).rejects.toMatchObject({ code: 'session_turn_active' });
    expect(process.noted).toEqual([`run ${turnId(idOf('b'), 0)}`]);
  });
});

describe('each attempt judges the claim anew (rule TP11)', () => {
  it('a conflict moves the lease to the turn that is admitted then', async () => {
    const process = start({ soleWriter: false });
    process.beforeAppend(async () => {
      expect([...process.leases]).toEqual([turnId(idOf('a'), 0)]);
      await process.elsewhere('a');
      await process.cancelElsewhere('a');
    });
    await process.admit('a');
    const second = turnId(idOf('a'), 1);
    expect((await process.types('a')).slice(-2)).toEqual(['TurnQueued', 'TurnClaimed']);
    expect([[...process.leases], process.noted]).toEqual([[second], [`run claimed ${second}`]]);
  });

  it('a process that stops claims nothing any more', async () => {
    const process = start({ soleWriter: false });
    let stopped: Promise<void> | undefined;
    process.beforeAppend(async () => {
      stopped = process.turnQueue.onApplicationShutdown();
      await process.elsewhere('a');
      await process.cancelElsewhere('a');
    });
    await process.admit('a');
    await stopped;
    expect((await process.types('a')).at(-1)).toBe('TurnQueued');
    expect([process.noted, process.isFree]).toEqual([['stop'], true]);
    await process.admit('b');
    expect(await process.types('b')).not.toContain('TurnClaimed');
  });

  it('a process that stops waits for an append under way, whose turn is given back by its run', async () => {
    const process = start();
    let isOver = false;
    process.beforeAppend(async () => {
      void process.turnQueue.onApplicationShutdown().then(() => {
        isOver = true;
      });
      await settled();
      expect(isOver).toBe(false);
    });
    await process.admit('a');
    expect(process.noted).toEqual(['stop', `run claimed ${turnId(idOf('a'), 0)}`]);
    await settled();
    expect(isOver).toBe(false);
    process.ends[0]?.();
    await eventually('the process to stop', () => isOver);
  });
});
