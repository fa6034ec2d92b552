import { MemoryLiveBus } from '@aos/adapters/memory';
import { impliedPermissions, StoreUnavailable, type AnyEvent, type EventStore, type Identity } from '@aos/kernel';
import { CountingIds, ManualClock } from '@aos/kernel/testing';
import type { InteractionQueries } from '@aos/interactions/published';
import { Lags, Readiness, ServedApp, type Decisions, type WriteObserver } from '@aos/platform';
import { quantile, spanOf } from './minute-counts.js';
import { OverviewQueries } from './overview.queries.js';
import { OwnState } from './own-state.js';
import { ProcessNotes } from './process-notes.js';
import { TurnCounts } from './turn-counts.js';

const start = Date.parse('2026-01-01T10:00:30.000Z');

class BreakableBus extends MemoryLiveBus {
  isAway = false;
  readonly writes: string[] = [];

  override async setPreview(key: string, field: string, value: string, ttlMs: number): Promise<void> {
    if (this.isAway) throw new StoreUnavailable('away');
    this.writes.push(key);
    await super.setPreview(key, field, value, ttlMs);
  }
}

const who = (permission: string): Identity =>
  ({ orgId: 'org_1', principalId: 'p', permissions: impliedPermissions([permission]) }) as unknown as Identity;
const admin = who('svc.org.admin');

/** Processes of a fleet, or one alone, over one bus and on a clock of the test's. */
class Processes {
  readonly clock = new ManualClock(start);
  readonly bus = new BreakableBus({
    clock: this.clock,
    onTrouble: (error) => {
      throw error;
    },
  });
  private readonly ids = new CountingIds();

  process(service: string, { isAlone = false, expected = [] as string[] } = {}) {
    let observer: WriteObserver | null = null;
    const decisions = { observe: (one: WriteObserver) => (observer = one) } as unknown as Decisions;
    const counts = new TurnCounts(decisions, this.clock);
    const [readiness, lags] = [new Readiness(), new Lags()];
    const own = new OwnState(new ServedApp(service, '1', false), readiness, lags);
    const store = { soleWriter: isAlone } as EventStore;
    const notes = new ProcessNotes(counts, own, this.bus, this.clock, this.ids, store);
    const interactions = { waitingFor: () => Promise.resolve(3) } as unknown as InteractionQueries;
    const queries = new OverviewQueries(interactions, notes, this.clock, { names: expected });
    const record = (orgId: string, ...events: AnyEvent[]) => observer?.recorded('session', events, orgId);
    return { notes, readiness, lags, queries, record };
  }

  /** Lets time pass, and everything that it set off. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    for (let turn = 0; turn < 50; turn += 1)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
  }
}

function ended(type: 'TurnCompleted' | 'TurnFailed' | 'TurnCancelled', ms: number): AnyEvent {
  const created_at = '2026-01-01T09:00:00.000Z';
  return { type, data: { turn: { created_at, completed_at: new Date(Date.parse(created_at) + ms).toISOString() } } };
}

const answered = (input_tokens: number, output_tokens: number): AnyEvent => ({
  type: 'ModelAnswered',
  data: { usage: { input_tokens, output_tokens } },
});

let all: Processes;
beforeEach(() => {
  all = new Processes();
});

describe('CO2: the overview', () => {
  it('counts turns in the minute of their end, failures, tokens and how long turns took', async () => {
    const { queries, record } = all.process('embedded', { isAlone: true });
    record('org_1', answered(70, 5), answered(1, 2), ended('TurnCompleted', 100), ended('TurnFailed', 1_000));
    record('org_2', ended('TurnCompleted', 5));
    await all.pass(60_000);
    record('org_1', ended('TurnCancelled', 3_600_000), ended('TurnCompleted', 0));
    const { minutes = [] } = await queries.overview(admin);
    expect(minutes).toHaveLength(60);
    expect(minutes.at(-2)).toEqual({
      at: '2026-01-01T10:00:00.000Z',
      turns: 2,
      failed: 1,
      input_tokens: 71,
      output_tokens: 7,
      p50_ms: quantile({ [spanOf(100)]: 1 }, 1),
      p95_ms: quantile({ [spanOf(1_000)]: 1 }, 1),
    });
    expect(minutes.at(-1)).toMatchObject({ at: '2026-01-01T10:01:00.000Z', turns: 2, failed: 0, p50_ms: 0, p95_ms: 0 });
    expect(minutes[0]).toEqual({
      at: '2026-01-01T09:02:00.000Z',
      turns: 0,
      failed: 0,
      input_tokens: 0,
      output_tokens: 0,
      p50_ms: null,
      p95_ms: null,
    });
    await all.pass(58 * 60_000);
    expect((await queries.overview(admin)).minutes?.[0]).toMatchObject({ turns: 2, at: '2026-01-01T10:00:00.000Z' });
    await all.pass(60_000);
    expect((await queries.overview(admin)).minutes?.[0]).toMatchObject({ turns: 2, at: '2026-01-01T10:01:00.000Z' });
  });

  it('knows a time within 5 %, whatever it is', () => {
    for (let ms = 2; ms < 4_000_000; ms = Math.ceil(ms * 1.013)) {
      const known = quantile({ [spanOf(ms)]: 1 }, 0.5) ?? 0;
      expect(Math.abs(known - ms)).toBeLessThanOrEqual(Math.max(1, ms * 0.05));
    }
    expect(quantile({ 10: 95, 20: 5 }, 0.95)).toBe(quantile({ 10: 1 }, 1));
    expect(quantile({ 10: 94, 20: 6 }, 0.95)).toBe(quantile({ 20: 1 }, 1));
  });

  it('shows a caller who may not administer the questions alone', async () => {
    const { queries } = all.process('embedded', { isAlone: true });
    expect(await queries.overview(who('svc.resource.view'))).toEqual({ waiting_questions: 3 });
  });

  it('of one process alone writes nothing, and names what is not ready and what is behind', async () => {
    const { queries, readiness, lags, notes } = all.process('embedded', { isAlone: true });
    notes.onApplicationBootstrap();
    readiness.register({ name: 'projections', check: () => Promise.resolve('catching up') });
    lags.register(() => ({ 'sessions@2': 1_200.4, 'agents@1': 0 }));
    await all.pass(10_000);
    expect(all.bus.writes).toEqual([]);
    expect(await queries.overview(admin)).toMatchObject({
      not_ready: ['embedded: projections'],
      lag: [
        { name: 'agents@1', ms: 0 },
        { name: 'sessions@2', ms: 1_200 },
      ],
    });
    await notes.onApplicationShutdown();
  });
});

describe('CO2: the processes of a fleet', () => {
  const expected = ['session-service', 'stream-service', 'gateway'];

  it('note every 5 s what they counted, how they are and how far; a service that is not heard of is silent', async () => {
    const asked = all.process('session-service', { expected });
    const other = all.process('session-service');
    const streams = all.process('stream-service');
    asked.lags.register(() => ({ 'sessions@2': 5 }));
    other.lags.register(() => ({ 'sessions@2': 900 }));
    streams.lags.register(() => ({ 'relay source': 7 }));
    streams.readiness.register({ name: 'kafka', check: () => Promise.resolve('not connected') });
    asked.record('org_1', ended('TurnCompleted', 100));
    for (const { notes } of [asked, other, streams]) notes.onApplicationBootstrap();
    await all.pass(0);
    other.record('org_1', ended('TurnFailed', 100), answered(10, 20));
    const sums = async () => (await asked.queries.overview(admin)).minutes?.at(-1);
    expect(await sums()).toMatchObject({ turns: 1, failed: 0 });
    await all.pass(5_000);
    expect(await sums()).toMatchObject({ turns: 2, failed: 1, input_tokens: 10, output_tokens: 20 });
    expect(await asked.queries.overview(admin)).toMatchObject({
      not_ready: ['gateway: silent', 'stream-service: kafka'],
      lag: [
        { name: 'relay source', ms: 7 },
        { name: 'sessions@2', ms: 900 },
      ],
    });
    expect((await asked.queries.overview({ ...admin, orgId: 'org_2' })).minutes?.at(-1)).toMatchObject({ turns: 0 });
    for (const { notes } of [asked, other, streams]) await notes.onApplicationShutdown();
  });

  it('are believed for 30 s, their counts for the hour; one that stops says so, and notes its last counts', async () => {
    const asked = all.process('session-service', { expected: ['session-service', 'stream-service'] });
    const dying = all.process('stream-service');
    const stopping = all.process('session-service');
    dying.record('org_1', ended('TurnCompleted', 1));
    for (const { notes } of [asked, dying, stopping]) notes.onApplicationBootstrap();
    await all.pass(0);
    dying.notes['timer'].cancel(); // it dies without a word
    stopping.record('org_1', ended('TurnCompleted', 1));
    await stopping.notes.onApplicationShutdown();
    const overview = () => asked.queries.overview(admin);
    const turns = async () => (await overview()).minutes?.reduce((sum, minute) => sum + minute.turns, 0);
    expect((await all.bus.preview('overview-processes')).size).toBe(2);
    expect([(await overview()).not_ready, await turns()]).toEqual([[], 2]);
    await all.pass(29_000);
    expect((await overview()).not_ready).toEqual([]);
    await all.pass(1_000);
    expect([(await overview()).not_ready, await turns()]).toEqual([['stream-service: silent'], 2]);
    await all.pass(50 * 60_000);
    expect(await turns()).toBe(2);
    await all.pass(10 * 60_000);
    expect(await turns()).toBe(0);
    await asked.notes.onApplicationShutdown();
  });

  it('clear what ended processes left, and note of organizations only what changed', async () => {
    const [first, next] = [all.process('session-service'), all.process('session-service')];
    first.notes.onApplicationBootstrap();
    await all.pass(0);
    first.notes['timer'].cancel();
    await all.pass(29_000);
    const keepsAlive = all.process('gateway');
    keepsAlive.notes.onApplicationBootstrap();
    await all.pass(1_000);
    next.record('org_1', ended('TurnCompleted', 1));
    next.notes.onApplicationBootstrap();
    await all.pass(0);
    expect((await all.bus.preview('overview-processes')).size).toBe(2);
    all.bus.writes.length = 0;
    await keepsAlive.notes.onApplicationShutdown();
    await all.pass(5_000);
    expect(all.bus.writes).toEqual(['overview-processes']);
    next.record('org_1', answered(1, 1));
    all.bus.isAway = true;
    await all.pass(5_000);
    all.bus.isAway = false;
    all.bus.writes.length = 0;
    await all.pass(5_000);
    expect(all.bus.writes).toEqual(['overview-processes', 'overview-counts:org_1']);
    await next.notes.onApplicationShutdown();
  });
});
