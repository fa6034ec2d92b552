import { MemoryLeases, MemoryReadStore } from '@aos/adapters/memory';
import type { EventStore } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { Recoveries, type Decisions, type DueTimers, type Projectors } from '@aos/platform';
import { sessionKind, type OpenTurn, type SessionState } from '../session/session.state.js';
import type { CallJob, SessionOpening } from '../session/session.events.js';
import { jobLease, type CallJobs } from './call-jobs.js';
import { JobRecovery } from './job-recovery.js';
import { jobTimersProjection } from '../session/jobs.projection.js';

const leaseMs = 6_000;
const deadline = '2026-01-01T01:00:00.000Z';
const job: CallJob = { attempt: 1, resends: 1, timeout_ms: 60_000, deadline };

/** A session whose turn waits for these calls. */
function waiting(id: string, ...deliveryIds: string[]): SessionState {
  const pending = deliveryIds.map((deliveryId) => ({
    call: { tool_call_id: `call of ${deliveryId}`, name: 'work', input: {}, content_index: 0, delivery_id: deliveryId },
    outcome: null,
    job,
  }));
  const open = new Map([['turn', { turn: { id: 'turn' }, pending } as unknown as OpenTurn]]);
  return { ...sessionKind.initial(), opening: { id, org_id: 'org_a' } as SessionOpening, open, hasJobs: true };
}

async function world({ soleWriter }: { soleWriter: boolean }, sessions: Record<string, SessionState>) {
  const clock = new ManualClock();
  const readStore = new MemoryReadStore();
  const leases = new MemoryLeases(clock);
  const seen = { loaded: [] as string[], begun: [] as string[] };
  const decisions = {
    load: (_kind: unknown, id: string) => {
      seen.loaded.push(id);
      return Promise.resolve({ state: sessions[id], revision: 0 });
    },
  } as unknown as Decisions;
  const jobs = {
    holds: () => false,
    begin: (_place: unknown, calls: { delivery_id: string }[]) => {
      seen.begun.push(...calls.map((call) => call.delivery_id));
      return Promise.resolve([]);
    },
  } as unknown as CallJobs;
  for (const [id, state] of Object.entries(sessions))
    await readStore.put(jobTimersProjection.rows({ state, id, revision: 0 }));
  const timers = { register: () => undefined } as unknown as DueTimers;
  const recovery = new JobRecovery(
    new Recoveries({ soleWriter } as EventStore, readStore, { caughtUp: true } as Projectors, leases, clock, {
      leaseSeconds: leaseMs / 1000,
    }),
    decisions,
    timers,
    jobs,
    leases,
    clock,
  );
  return { clock, leases, seen, recovery };
}

test('in a fleet the log is read for sessions with a call without a holder only; that call is taken over after a lease time', async () => {
  const { clock, leases, seen, recovery } = await world(
    { soleWriter: false },
    { ses_a: waiting('ses_a', 'dlv_1', 'dlv_2'), ses_b: waiting('ses_b', 'dlv_3') },
  );
  for (const id of ['dlv_1', 'dlv_2', 'dlv_3']) await leases.acquire(jobLease(id), 'other', 1_000_000);
  await recovery.poll();
  expect(seen.loaded).toEqual([]);
  await leases.release(jobLease('dlv_2'), 'other');
  await recovery.poll();
  clock.advance(leaseMs);
  await recovery.poll();
  expect(seen).toEqual({ loaded: ['ses_a', 'ses_a'], begun: ['dlv_2'] });
});

test('in one process every call that it does not hold is taken over at once', async () => {
  const { seen, recovery } = await world({ soleWriter: true }, { ses_a: waiting('ses_a', 'dlv_1', 'dlv_2') });
  await recovery.poll();
  expect(seen.begun).toEqual(['dlv_1', 'dlv_2']);
});

test('the row names the open calls, and goes with the last of them; a session without such calls never has one', () => {
  const rows = (state: SessionState) =>
    jobTimersProjection.rows({ state, id: 'ses_a', revision: 3 }).map(({ collection, doc }) => [collection, doc]);
  expect(rows(waiting('ses_a', 'dlv_1', 'dlv_2'))).toEqual([
    ['due@1', { handler: 'session_jobs', at: Date.parse(deadline), org_id: 'org_a', session_id: 'ses_a' }],
    ['session_job_timers@2', { org_id: 'org_a', session_id: 'ses_a', delivery_ids: ['dlv_1', 'dlv_2'] }],
  ]);
  const gone = [
    ['due@1', null],
    ['session_job_timers@2', null],
  ];
  expect(rows(waiting('ses_a'))).toEqual(gone);
  expect(rows({ ...waiting('ses_a', 'dlv_1'), status: 'deleted' })).toEqual(gone);
  expect(rows({ ...waiting('ses_a'), hasJobs: false })).toEqual([]);
});
