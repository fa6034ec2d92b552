import { MemoryEventStore, MemoryReadStore } from '@aos/adapters/memory';
import { dueCollection, rfc3339 } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { DueTimers, WriterProjections, serviceActor } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import { sessionDecider } from '../session.decider.js';
import { expiryTimersProjection } from '../session/expiry-timers.projection.js';
import type { Retention } from '../session/session.events.js';
import { sessionKind } from '../session/session.state.js';
import { openingOf, startOf } from '../testing/session.fixture.js';
import { startTurn } from '../turn/start.decide.js';
import { SessionExpiry } from './session-expiry.js';

const hourMs = 3_600_000;
const sessionId = 'ses_00000000000000000000000001';
const actor = serviceActor('org_a', 'svc_a', 'r', 'service');

function world() {
  const clock = new ManualClock();
  const readStore = new MemoryReadStore();
  const writers = new WriterProjections(readStore);
  writers.register(expiryTimersProjection as never);
  const decisions = memoryDecisions({ store: new MemoryEventStore({ clock }), clock, writers });
  const timers = new DueTimers(readStore, clock);
  new SessionExpiry(timers, decisions).onModuleInit();
  const now = () => rfc3339(clock.now());
  return {
    clock,
    timers,
    decisions,
    async open(retention?: Retention): Promise<void> {
      const opening = openingOf({ id: sessionId, ...(retention && { retention }), created_at: now() });
      const command = { open: opening, now: now(), reactivates: true, agentStatus: 'active' };
      await decisions.decide(sessionDecider.openSession, sessionId, actor, command);
    },
    say: () =>
      decisions.run(sessionKind, sessionId, actor, (state, revision) =>
        startTurn(startOf({ now: now(), open: null, content: [{ type: 'text', text: 'x' }] }), state, revision),
      ),
    cancel: () =>
      decisions.decide(sessionDecider.cancelSession, sessionId, actor, { now: now(), reason: 'r', through: null }),
    answer: () =>
      decisions.decide(sessionDecider.applyOutcome, sessionId, actor, {
        outcome: {
          interaction_id: 'iact_a',
          delivery_id: 'dlv_a',
          content: [{ type: 'text', text: 'yes' }],
          metadata: {},
          principal_id: 'svc_a',
          principal_kind: 'service',
        },
        now: now(),
        timeoutSeconds: 600,
        agentActive: true,
      }),
    status: async () => (await decisions.load(sessionKind, sessionId)).state.status,
    due: async () =>
      (
        await readStore.query({
          collection: dueCollection,
          scope: ['*'],
          orderBy: { index: 'at', direction: 'asc' },
          limit: 10,
        })
      ).rows.length,
  };
}

describe('rule S42: the end of a bounded session', () => {
  const bounded: Retention = { mode: 'bounded', ttl_seconds: 3600 };

  it('becomes a fact an hour after its last message, and not before', async () => {
    const { clock, timers, open, say, cancel, status, due } = world();
    await open(bounded);
    clock.advance(hourMs - 1);
    await say();
    await cancel();
    clock.advance(hourMs - 1);
    await timers.poll();
    expect(await status()).toBe('active');
    clock.advance(1);
    await timers.poll();
    expect([await status(), await due()]).toEqual(['deleted', 0]);
  });

  it('waits for the turn that is open', async () => {
    const { clock, timers, open, say, cancel, status, due } = world();
    await open(bounded);
    await say();
    expect(await due()).toBe(0);
    clock.advance(2 * hourMs);
    await timers.poll();
    expect(await status()).toBe('active');
    await cancel();
    await timers.poll();
    expect(await status()).toBe('deleted');
  });

  it('is not put off by the outcome of a question that comes before the timer does', async () => {
    const { clock, timers, open, answer, status } = world();
    await open(bounded);
    clock.advance(hourMs);
    expect((await answer()).events).toEqual([]);
    await timers.poll();
    expect(await status()).toBe('deleted');
  });

  it('does not come for a session without one, which has no timer', async () => {
    for (const retention of [undefined, { mode: 'standard' } as const]) {
      const { clock, timers, open, status, due } = world();
      await open(retention);
      clock.advance(1000 * hourMs);
      await timers.poll();
      expect([await status(), await due()]).toEqual(['active', 0]);
    }
  });
});
