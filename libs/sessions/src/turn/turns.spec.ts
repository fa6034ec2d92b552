import fc from 'fast-check';
import { fold, Refusal } from '@aos/kernel';
import { foldFrozen, given } from '@aos/kernel/testing';
import { turnId } from '../session/session.ids.js';
import type { SessionEvent } from '../session/session.events.js';
import { openDirectTurn, sessionKind, type SessionState } from '../session/session.state.js';
import { after, now, openingOf, sessionId, startOf } from '../testing/session.fixture.js';
import { startTurn, type StartTurn } from './start.decide.js';
import {
  TurnLost,
  cancelSession,
  cancelTurn,
  claimTurn,
  completeWithoutCall,
  failTurn,
  parkTurn,
  recordAnswer,
  recordOutcome,
  renewClaim,
  requeueTurn,
} from './run.decide.js';
import { nextToRun } from '../session/open-turns.state.js';

const opening = openingOf();
const first = turnId(sessionId, 0);

const started = (overrides: Partial<StartTurn> = {}, past: SessionEvent[] = []) =>
  after(past, (state, revision) => startTurn(startOf(overrides), state, revision));
const claimed = (past: SessionEvent[], takeover: number | null = null) =>
  after(past, (state) => claimTurn({ turnId: first, runner: 'r', now, takeover }, state));
const answer = {
  turnId: first,
  epoch: 1,
  now,
  content: [{ type: 'text', text: 'ok' }],
  usage: { calls: 1, input_tokens: 3 },
  model: 'm',
  provider: 'p',
  activeMs: 5,
  calls: [],
  textOutput: null,
};

describe('starting a turn', () => {
  it('opens the session, writes changed context before the input, and queues', () => {
    const events = started({ context: [{ name: 'board', content: 'x', digest: 'd1' }] });
    expect(events.map(({ type }) => type)).toEqual([
      'SessionOpened',
      'ContextRecorded',
      'MessageAppended',
      'TurnQueued',
    ]);
    const queued = events.at(-1);
    expect(queued?.type === 'TurnQueued' && queued.data.input).toMatchObject({
      resume_revision: -1,
      after_sequence: 2,
      input_sequence: 2,
    });
  });

  it('writes nothing for a key that was seen, whatever its turn became', () => {
    for (const past of [
      started({ idempotencyKey: 'k1' }),
      after(started({ idempotencyKey: 'k1' }), (state, revision) =>
        cancelTurn({ turnId: first, now, reason: 'r' }, state, revision),
      ),
    ]) {
      given(sessionKind, ...past)
        .when((state) =>
          startTurn(
            startOf({ idempotencyKey: ' k1 ', content: [{ type: 'text', text: 'other' }] }),
            state,
            past.length - 1,
          ),
        )
        .thenNothing();
    }
  });

  it('rule TE8: keeps which blocks are files of ours, and refuses one that is not seen, but no repeat', () => {
    const files = [{ index: 1, artifact_id: 'art_a' }];
    const rowOf = (events: SessionEvent[]) => events.find((event) => event.type === 'MessageAppended')?.data.row;
    expect(rowOf(started({ files }))?.files).toEqual(files);
    expect(rowOf(started({ files: [] }))).not.toHaveProperty('files');
    given(sessionKind)
      .when((state) => startTurn(startOf({ files, hasUnseenFile: true }), state, -1))
      .thenRefuses('invalid_argument', { argument: 'source.url' });
    given(sessionKind, ...started({ idempotencyKey: 'k1' }))
      .when((state) => startTurn(startOf({ idempotencyKey: 'k1', files, hasUnseenFile: true }), state, 2))
      .thenNothing();
  });

  it('refuses a second direct turn while one is open, and takes it afterwards', () => {
    const past = started();
    given(sessionKind, ...past)
      .when((state) => startTurn(startOf({ idempotencyKey: 'k2' }), state, 2))
      .thenRefuses('session_turn_active', { turn_id: first, status: 'queued' });
    const over = after(past, (state, revision) => cancelTurn({ turnId: first, now, reason: 'r' }, state, revision));
    given(sessionKind, ...over)
      .when((state) => startTurn(startOf({ idempotencyKey: ' ' }), state, 3))
      .thenTypes('MessageAppended', 'TurnQueued');
  });

  it('is claimed in the same append for a runner that keeps a slot, as a claim of its own would be (rule TP11)', () => {
    const queued = started({ context: [{ name: 'a', content: '1', digest: 'd1' }] });
    expect(started({ context: [{ name: 'a', content: '1', digest: 'd1' }], runner: 'r' })).toEqual(claimed(queued));
    expect(started({ runner: null })).toEqual(started());
    const over = after(started(), (state, revision) =>
      cancelTurn({ turnId: first, now, reason: 'r' }, state, revision),
    );
    given(sessionKind, ...over)
      .when((state) => startTurn(startOf({ runner: 'r' }), state, 3))
      .thenTypes('MessageAppended', 'TurnQueued', 'TurnClaimed');
    given(sessionKind, ...started({ idempotencyKey: 'k', runner: 'r' }))
      .when((state) => startTurn(startOf({ idempotencyKey: 'k', runner: 'r' }), state, 3))
      .thenNothing();
  });

  it('is not claimed in the same append while another turn of the session is open (rule TP11)', () => {
    const ofAnOutcome = started().map((event) =>
      event.type === 'TurnQueued'
        ? { ...event, data: { ...event.data, input: { ...event.data.input, direct: false } } }
        : event,
    );
    given(sessionKind, ...ofAnOutcome)
      .when((state) => startTurn(startOf({ runner: 'r' }), state, 2))
      .thenTypes('MessageAppended', 'TurnQueued');
  });

  it('records a context value once, and again when its bytes change', () => {
    const past = after(started({ context: [{ name: 'a', content: '1', digest: 'd1' }] }), (state, revision) =>
      cancelTurn({ turnId: first, now, reason: 'r' }, state, revision),
    );
    given(sessionKind, ...past)
      .when((state) => startTurn(startOf({ context: [{ name: 'a', content: '1', digest: 'd1' }] }), state, 4))
      .thenTypes('MessageAppended', 'TurnQueued');
    given(sessionKind, ...past)
      .when((state) => startTurn(startOf({ context: [{ name: 'a', content: '2', digest: 'd2' }] }), state, 4))
      .thenTypes('ContextRecorded', 'MessageAppended', 'TurnQueued');
  });

  it('refuses an inactive agent, but answers a repeat of its key all the same', () => {
    given(sessionKind)
      .when((state) => startTurn(startOf({ agent: { status: 'inactive', timeoutSeconds: 0 } }), state, -1))
      .thenRefuses('agent_inactive');
    const past = started({ idempotencyKey: 'k' });
    given(sessionKind, ...past)
      .when((state) =>
        startTurn(startOf({ idempotencyKey: 'k', agent: { status: 'inactive', timeoutSeconds: 0 } }), state, 2),
      )
      .thenNothing();
  });

  it('refuses a session that is not there, and an archived one that is not resolved', () => {
    given(sessionKind)
      .when((state) => startTurn(startOf({ open: null }), state, -1))
      .thenRefuses('not_found');
    const archived: SessionEvent[] = [
      { type: 'SessionOpened', data: { session: opening } },
      { type: 'SessionArchived', data: { at: now } },
    ];
    given(sessionKind, ...archived)
      .when((state) => startTurn(startOf({ reactivates: false }), state, 1))
      .thenRefuses('session_not_active');
    given(sessionKind, ...archived)
      .when((state) => startTurn(startOf(), state, 1))
      .thenTypes('SessionReactivated', 'MessageAppended', 'TurnQueued');
  });

  it('queues a turn without a row for a dropped message, which completes without a call', () => {
    const past = claimed(started({ content: null }));
    given(sessionKind, ...past)
      .when((state) => completeWithoutCall({ turnId: first, epoch: 1, now }, state))
      .thenEvents(
        expect.objectContaining({
          type: 'TurnCompleted',
          data: { turn: expect.objectContaining({ status: 'completed', usage: {} }) as object },
        }) as never,
      );
  });
});

describe('running a turn', () => {
  it('L6: what a step spent by its last sign of life counts after a takeover, and what it spent in all after a stop in good order', () => {
    const spent = (events: SessionEvent[]) => fold(sessionKind, structuredClone(events)).open.get(first)?.activeMs;
    const alive = (past: SessionEvent[], activeMs: number, epoch = 1) =>
      after(past, (state) => renewClaim({ turnId: first, epoch, runner: 'r', activeMs }, state));
    const one = alive(claimed(started()), 15_000);
    expect(one.at(-1)).toMatchObject({
      type: 'TurnClaimed',
      data: { epoch: 1, active_ms: 15_000, turn: { status: 'running', updated_at: now } },
    });
    expect(alive(one, 14_000)).toEqual(one);
    const takenOver = claimed(alive(one, 30_000), 1);
    expect(spent(takenOver)).toBe(30_000);
    given(sessionKind, ...takenOver)
      .when((state) => {
        expect(() => renewClaim({ turnId: first, epoch: 1, runner: 'r', activeMs: 99_000 }, state)).toThrow(TurnLost);
        return [];
      })
      .thenNothing();
    const givenBack = after(takenOver, (state) =>
      requeueTurn({ turnId: first, epoch: 2, now, activeMs: 34_500 }, state),
    );
    expect(spent(givenBack)).toBe(34_500);
    expect(spent(claimed(givenBack))).toBe(34_500);
  });

  it('is claimed once at each epoch; a takeover requeues first', () => {
    const past = claimed(started());
    given(sessionKind, ...past)
      .when((state) => claimTurn({ turnId: first, runner: 'other', now, takeover: null }, state))
      .thenNothing();
    given(sessionKind, ...past)
      .when((state) => claimTurn({ turnId: first, runner: 'other', now, takeover: 1 }, state))
      .thenTypes('TurnRequeued', 'TurnClaimed');
    given(sessionKind, ...claimed(past, 1))
      .when((state) => claimTurn({ turnId: first, runner: 'third', now, takeover: 1 }, state))
      .thenNothing();
  });

  it('loses everything behind its epoch', () => {
    const past = claimed(claimed(started()), 1);
    const state = fold(sessionKind, past);
    expect(() => recordAnswer(answer, state)).toThrow(TurnLost);
    expect(() =>
      parkTurn(
        { turnId: first, epoch: 1, now, waits: [{ kind: 'event', tool_call_id: 't' }], jobs: [], activeMs: 0 },
        state,
      ),
    ).toThrow(TurnLost);
    expect(() =>
      failTurn({ turnId: first, epoch: 1, now, errorType: 'x', message: '', partial: [] }, state, past.length - 1),
    ).toThrow(TurnLost);
    expect(recordAnswer({ ...answer, epoch: 2 }, state).map(({ type }) => type)).toEqual([
      'MessageAppended',
      'ModelAnswered',
      'TurnCompleted',
    ]);
  });

  it('completes with the sum of its usage and leaves zero counters out', () => {
    const events = recordAnswer(answer, fold(sessionKind, claimed(started())));
    const done = events.at(-1);
    expect(done?.type === 'TurnCompleted' && done.data.turn.usage).toEqual({ input_tokens: 3, calls: 1 });
    expect(done?.type === 'TurnCompleted' && done.data.turn.phase).toBeNull();
  });

  it('goes on after tool results, writes their row once, and drops a second result', () => {
    const call = { tool_call_id: 'c1', content_index: 0, name: 'x', input: {}, delivery_id: 'dlv_1' };
    const asked = after(claimed(started()), (state) => recordAnswer({ ...answer, calls: [call] }, state));
    expect(asked.at(-1)?.type).toBe('ToolCallsRequested');
    const outcome = { tool_call_id: 'c1', status: 'ok' as const, content: 'r', is_error: false };
    const told = after(asked, (state) => recordOutcome({ turnId: first, epoch: 1, now, outcome }, state));
    expect(told.slice(asked.length).map(({ type }) => type)).toEqual(['ToolCallFinished', 'MessageAppended']);
    given(sessionKind, ...told)
      .when((state) => recordOutcome({ turnId: first, epoch: 1, now, outcome }, state))
      .thenNothing();
  });

  it('keeps all calls of an answer that asks for more than one event of the log holds', () => {
    const calls = Array.from({ length: 450 }, (_, index) => ({
      tool_call_id: `c${index}`,
      content_index: index,
      name: 'x',
      input: {},
      delivery_id: `dlv_${index}`,
    }));
    const asked = after(claimed(started()), (state) => recordAnswer({ ...answer, calls }, state));
    expect(asked.filter(({ type }) => type === 'ToolCallsRequested')).toHaveLength(3);
    const open = fold(sessionKind, asked).open.get(first);
    expect(open?.pending.map(({ call }) => call)).toEqual(calls);
    expect(open?.toolCalls).toBe(450);
  });

  it('answers every open call when it is cancelled, so that the transcript stays valid', () => {
    const call = { tool_call_id: 'c1', content_index: 0, name: 'x', input: {}, delivery_id: 'dlv_1' };
    const asked = after(claimed(started()), (state) => recordAnswer({ ...answer, calls: [call] }, state));
    const cancelled = cancelTurn({ turnId: first, now, reason: 'r' }, fold(sessionKind, asked), asked.length - 1);
    expect(cancelled.map(({ type }) => type)).toEqual(['MessageAppended', 'TurnCancelled']);
    given(sessionKind, ...asked, ...cancelled)
      .when((state) => cancelTurn({ turnId: first, now, reason: 'r' }, state, 0))
      .thenNothing();
  });

  it('keeps finished blocks of a failed turn hidden, and shows no usage', () => {
    const failed = failTurn(
      {
        turnId: first,
        epoch: 1,
        now,
        errorType: 'timeout',
        message: 'late',
        partial: [{ type: 'text', text: 'half' }],
      },
      fold(sessionKind, claimed(started())),
      3,
    );
    expect(failed.map(({ type }) => type)).toEqual(['MessageAppended', 'TurnFailed']);
    const [row, end] = failed;
    expect(row?.type === 'MessageAppended' && row.data.row).toMatchObject({
      hidden: 'partial',
      metadata: { partial: true, terminal_outcome: 'failed' },
    });
    expect(end?.type === 'TurnFailed' && end.data.turn).toMatchObject({
      error_type: 'timeout',
      error_scope: 'agent_turn',
    });
    expect(end?.type === 'TurnFailed' && 'usage' in end.data.turn).toBe(false);
  });
});

/** Random commands; every prefix of what they write must hold the invariants A 8, B 12, B 22. */
describe('any history', () => {
  const command = fc.oneof(
    fc.record({ kind: fc.constant('start' as const), key: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: null }) }),
    fc.record({ kind: fc.constant('claim' as const), takeover: fc.boolean() }),
    fc.record({ kind: fc.constant('answer' as const), tools: fc.nat(2), stale: fc.boolean() }),
    fc.record({ kind: fc.constant('outcome' as const), call: fc.nat(2) }),
    fc.record({ kind: fc.constant('cancel' as const) }),
    fc.record({ kind: fc.constant('cancelAll' as const) }),
    fc.record({ kind: fc.constant('fail' as const) }),
  );

  it('has at most one open direct turn, gapless sequences, and nothing after a final state', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const history: SessionEvent[] = [];
        let state = sessionKind.initial();
        const finals = new Set<string>();
        let sequence = 0;
        for (const each of commands) {
          const decided = attempt(() => decide(each, state, history.length - 1));
          for (const event of decided) {
            state = foldFrozen(sessionKind, [event], state, history.length - 1);
            history.push(event);
            if (event.type === 'MessageAppended' || event.type === 'ContextRecorded') {
              sequence += 1;
              expect(event.data.row.sequence).toBe(sequence);
              expect(event.data.row.turn_id !== null && finals.has(event.data.row.turn_id)).toBe(false);
            }
            if ('turn' in event.data) {
              expect(finals.has(event.data.turn.id)).toBe(false);
              if (event.data.turn.phase === null) finals.add(event.data.turn.id);
            }
          }
          expect([...state.open.values()].filter(({ input }) => input.direct).length).toBeLessThanOrEqual(1);
        }
        expect(fold(sessionKind, structuredClone(history))).toEqual(state);
      }),
      { numRuns: 300 },
    );
  });

  function decide(
    each: typeof command extends fc.Arbitrary<infer C> ? C : never,
    state: SessionState,
    revision: number,
  ): SessionEvent[] {
    const open = nextToRun(state) ?? openDirectTurn(state);
    const turn = open?.turn.id ?? first;
    switch (each.kind) {
      case 'start':
        return startTurn(startOf({ idempotencyKey: each.key }), state, revision);
      case 'claim':
        return claimTurn(
          { turnId: turn, runner: 'r', now, takeover: each.takeover ? (state.open.get(turn)?.epoch ?? 0) : null },
          state,
        );
      case 'answer': {
        const calls = Array.from({ length: each.tools }, (_, index) => ({
          tool_call_id: `c${revision}_${index}`,
          content_index: index,
          name: 'x',
          input: {},
          delivery_id: `d${index}`,
        }));
        return open?.pending.some(({ outcome }) => outcome === null)
          ? []
          : recordAnswer({ ...answer, turnId: turn, epoch: (open?.epoch ?? 0) - (each.stale ? 1 : 0), calls }, state);
      }
      case 'outcome': {
        const entry = open?.pending[each.call];
        return entry
          ? recordOutcome(
              {
                turnId: turn,
                epoch: open?.epoch ?? 0,
                now,
                outcome: { tool_call_id: entry.call.tool_call_id, status: 'ok', content: '', is_error: false },
              },
              state,
            )
          : [];
      }
      case 'cancel':
        return cancelTurn({ turnId: turn, now, reason: 'r' }, state, revision);
      case 'cancelAll':
        return cancelSession({ now, reason: 'r', through: null }, state, revision);
      case 'fail':
        return failTurn(
          { turnId: turn, epoch: open?.epoch ?? 0, now, errorType: 'model_error', message: '', partial: [] },
          state,
          revision,
        );
    }
  }

  function attempt(work: () => SessionEvent[]): SessionEvent[] {
    try {
      return work();
    } catch (error) {
      if (error instanceof Refusal || error instanceof TurnLost) return [];
      throw error;
    }
  }
});
