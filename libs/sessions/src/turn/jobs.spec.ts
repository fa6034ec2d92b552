import { fold } from '@aos/kernel';
import { turnId } from '../session/session.ids.js';
import type { SessionEvent, ToolOutcome } from '../session/session.events.js';
import { sessionKind, type OpenTurn, type SessionState } from '../session/session.state.js';
import { after, now, sessionId, startOf } from '../testing/session.fixture.js';
import { queueNudge } from './nudges.decide.js';
import { deferJob, finishJob, receiveDeferredResult, takeOverJob, type JobPlan } from './jobs.decide.js';
import { cancelTurn, claimTurn, parkTurn, recordAnswer, recordOutcome, requeueTurn } from './run.decide.js';
import { startTurn } from './start.decide.js';

const id = turnId(sessionId, 0);

type Log = SessionEvent[];
const stateOf = (log: Log): SessionState => fold(sessionKind, structuredClone(log));
const turnOf = (log: Log): OpenTurn => stateOf(log).open.get(id) as OpenTurn;
const types = (log: Log, from: Log): string[] => log.slice(from.length).map(({ type }) => type);
const ended = (toolCallId: string, content = 'done'): ToolOutcome => ({
  tool_call_id: toolCallId,
  status: 'ok',
  content,
  is_error: false,
});
const plan = (toolCallId: string, resends = 1): JobPlan => ({ toolCallId, timeoutMs: 60_000, resends });

/** A running turn whose answer made these calls. */
function asking(...ids: string[]): Log {
  const started = after([], (state, revision) => startTurn(startOf(), state, revision));
  const claimed = after(started, (state) => claimTurn({ turnId: id, runner: 'r', now, takeover: null }, state));
  const calls = ids.map((toolCallId, index) => ({
    tool_call_id: toolCallId,
    name: 'work',
    input: {},
    content_index: index,
    delivery_id: `dlv_${toolCallId}`,
  }));
  return after(claimed, (state) =>
    recordAnswer(
      {
        turnId: id,
        epoch: 1,
        now,
        content: calls.map((call) => ({ type: 'tool_use', id: call.tool_call_id, name: 'work', input: {} })),
        usage: { calls: 1 },
        model: 'm',
        provider: 'p',
        activeMs: 1,
        calls,
        textOutput: null,
      },
      state,
    ),
  );
}

const park = (
  past: Log,
  jobs: JobPlan[],
  waits: { kind: string; tool_call_id: string; interaction_id?: string }[] = [],
): Log =>
  after(past, (state) =>
    parkTurn({ turnId: id, epoch: state.open.get(id)?.epoch ?? 0, now, waits, jobs, activeMs: 2 }, state),
  );
const finish = (past: Log, toolCallId: string): Log =>
  after(past, (state) => finishJob({ turnId: id, outcome: ended(toolCallId), now }, state));
const nudge = (past: Log, wake: boolean): Log =>
  after(past, (state, revision) =>
    queueNudge(
      {
        now,
        content: 'go on',
        wake,
        idempotencyKey: null,
        digest: 'd',
        metadata: null,
        senderPrincipalId: 'svc_a',
        sender: { kind: 'human' },
        agent: { status: 'active', timeoutSeconds: 600 },
      },
      state,
      revision,
    ),
  );

describe('calls that go on outside their turn', () => {
  it('T9, T10: are recorded before they leave, and the turn waits for an event', () => {
    const past = asking('a');
    const parked = park(past, [plan('a')]);
    expect(types(parked, past)).toEqual(['ToolJobStarted', 'TurnParked']);
    expect(turnOf(parked)).toMatchObject({
      turn: { status: 'waiting', wait: { kind: 'event', event_type: 'action.completed', tool_call_id: 'a' } },
    });
    expect(turnOf(parked).pending[0]?.job).toEqual({
      attempt: 1,
      resends: 1,
      timeout_ms: 60_000,
      deadline: '2026-01-01T00:01:00.000Z',
    });
  });

  it('TE81: a call that its endpoint took waits a day, is not sent again, and takes its result once', () => {
    const dayMs = 86_400_000;
    const parked = park(asking('a'), [plan('a')]);
    const defer = (past: Log): Log =>
      after(past, (state) => deferJob({ turnId: id, toolCallId: 'a', forMs: dayMs, now }, state));
    const deferred = defer(parked);
    expect(types(deferred, parked)).toEqual(['ToolJobDeferred']);
    expect(defer(deferred)).toEqual(deferred);
    const takeOver = (at: string): Log =>
      after(deferred, (state) => takeOverJob({ turnId: id, toolCallId: 'a', attempt: 1, now: at }, state));
    expect(takeOver('2026-01-01T23:59:59.999Z')).toEqual(deferred);
    const given = takeOver('2026-01-02T00:00:00.000Z');
    expect(types(given, deferred)).toEqual(['ToolCallFinished', 'MessageAppended', 'TurnResumed']);
    expect(JSON.stringify(given)).toContain('timeout');

    const receive = (past: Log, more: { orgId?: string; deliveryId?: string } = {}): Log => {
      const command = { orgId: 'org_a', turnId: id, deliveryId: 'dlv_a', outcome: ended('a'), now, ...more };
      return after(past, (state) => receiveDeferredResult(command, state));
    };
    const done = receive(deferred);
    expect(types(done, deferred)).toEqual(['ToolCallFinished', 'MessageAppended', 'TurnResumed']);
    expect(receive(done)).toEqual(done);
    expect(receive(deferred, { deliveryId: 'dlv_b' })).toEqual(deferred);
    expect(defer(receive(parked))).toEqual(receive(parked));
    expect(() => receive(deferred, { orgId: 'org_b' })).toThrow('delivery');
    const over = after(deferred, (state, revision) => cancelTurn({ turnId: id, reason: 'x', now }, state, revision));
    expect(() => receive(over)).toThrow('delivery');
  });

  it('T8: a result takes the turn back to the queue, once; a late or second one is dropped', () => {
    const parked = park(asking('a'), [plan('a')]);
    const done = finish(parked, 'a');
    expect(types(done, parked)).toEqual(['ToolCallFinished', 'MessageAppended', 'TurnResumed']);
    expect(turnOf(done).turn).toMatchObject({ status: 'queued', phase: 'queued' });
    expect(turnOf(done).turn).not.toHaveProperty('wait');
    expect(finish(done, 'a')).toEqual(done);
    const cancelled = after(parked, (state, revision) =>
      cancelTurn({ turnId: id, now, reason: 'requested' }, state, revision),
    );
    expect(finish(cancelled, 'a')).toEqual(cancelled);
  });

  it('ends no call that is not a job', () => {
    const past = asking('a');
    expect(finish(past, 'a')).toEqual(past);
  });

  it('of two, the turn waits until both have ended', () => {
    const parked = park(asking('a', 'b'), [plan('a'), plan('b')]);
    const other = finish(parked, 'b');
    expect(types(other, parked)).toEqual(['ToolCallFinished']);
    expect(types(finish(other, 'a'), other)).toEqual(['ToolCallFinished', 'MessageAppended', 'TurnResumed']);
    const first = finish(parked, 'a');
    expect(types(first, parked)).toEqual(['ToolCallFinished', 'TurnParked']);
    expect(turnOf(first).turn).toMatchObject({ status: 'waiting', wait: { kind: 'event', tool_call_id: 'b' } });
    expect(types(finish(first, 'b'), first)).toEqual(['ToolCallFinished', 'MessageAppended', 'TurnResumed']);
  });

  it('a result that comes while the turn runs leaves nothing to wait for', () => {
    const parked = park(asking('a', 'b'), [plan('a'), plan('b')]);
    const resumed: SessionEvent = {
      type: 'TurnResumed',
      data: { turn: { ...turnOf(parked).turn, status: 'queued', phase: 'queued' }, reason: 'action' },
    };
    const one = after(parked, () => [
      { type: 'ToolCallFinished', data: { turn_id: id, outcome: ended('a') } },
      resumed,
    ]); // as earlier releases did
    const claimed = after(one, (state) => claimTurn({ turnId: id, runner: 'r', now, takeover: null }, state));
    expect(turnOf(park(claimed, [])).turn).toMatchObject({ status: 'waiting', wait: { tool_call_id: 'b' } });
    const done = finish(claimed, 'b');
    expect(types(done, claimed)).toEqual(['ToolCallFinished', 'MessageAppended']);
    expect(park(done, [])).toEqual(done);
    expect(turnOf(done)).toMatchObject({ turn: { status: 'running' }, pending: [] });
  });

  it('N9: wake interrupts every open call; a nudge without it waits for the boundary', () => {
    const parked = park(asking('a', 'b'), [plan('a'), plan('b')]);
    const quiet = nudge(parked, false);
    expect(types(quiet, parked)).toEqual(['NudgeQueued']);
    expect(types(finish(finish(quiet, 'b'), 'a'), quiet)).toEqual([
      'ToolCallFinished',
      'ToolCallFinished',
      'MessageAppended',
      'MessageAppended',
      'NudgeDelivered',
      'TurnResumed',
    ]);
    const woken = nudge(parked, true);
    expect(types(woken, parked)).toEqual([
      'NudgeQueued',
      'ToolCallFinished',
      'ToolCallFinished',
      'MessageAppended',
      'MessageAppended',
      'NudgeDelivered',
      'TurnResumed',
    ]);
    const [, first] = woken.slice(parked.length);
    expect(first).toMatchObject({ data: { outcome: { content: '{"interrupted":true,"reason":"user_direction"}' } } });
    expect(finish(woken, 'a')).toEqual(woken);
  });

  it('R24: is sent again once after its process is gone; then what became of it is not known', () => {
    const parked = park(asking('a'), [plan('a')]);
    const takeOver = (past: Log, attempt: number) =>
      after(past, (state) =>
        takeOverJob({ turnId: id, toolCallId: 'a', attempt, now: '2026-01-01T01:00:00.000Z' }, state),
      );
    const again = takeOver(parked, 1);
    expect(types(again, parked)).toEqual(['ToolJobStarted']);
    expect(turnOf(again).pending[0]?.job).toMatchObject({ attempt: 2, deadline: '2026-01-01T01:01:00.000Z' });
    expect(takeOver(again, 1)).toEqual(again);
    const unknown = takeOver(again, 2);
    expect(types(unknown, again)).toEqual(['ToolCallFinished', 'MessageAppended', 'TurnResumed']);
    expect(unknown[again.length]).toMatchObject({
      data: { outcome: { is_error: true, content: expect.stringContaining('outcome_unknown') as string } },
    });
  });

  it('R24: counts how often a turn went back to the queue with a call unanswered', () => {
    const past = asking('a', 'b');
    const one = after(past, (state) => recordOutcome({ turnId: id, epoch: 1, now, outcome: ended('a') }, state));
    const lost = after(one, (state) => claimTurn({ turnId: id, runner: 'other', now, takeover: 1 }, state));
    expect(turnOf(lost).pending.map(({ interruptions }) => interruptions)).toEqual([undefined, 1]);
    const stopped = after(lost, (state) => requeueTurn({ turnId: id, epoch: 2, now, activeMs: 3 }, state));
    expect(turnOf(stopped).pending.map(({ interruptions }) => interruptions)).toEqual([undefined, 2]);
  });
});
