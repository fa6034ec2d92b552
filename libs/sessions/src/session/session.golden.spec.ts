import { upcast, listLength, listValues, mapGet } from '@aos/kernel';
import { expectGoldenStates, goldenEvents, foldFrozen } from '@aos/kernel/testing';
import { sessionEvents, type SessionEvent } from './session.events.js';
import { sessionKind, type SessionState } from './session.state.js';

const golden = goldenEvents(__dirname);
const turn = 'turn_0000000000000000000000000a000000';

/** A turn of its own for events that end one, and a row to stand on. */
const another = (ordinal: number, sequence: number): SessionEvent[] => {
  const id = `turn_0000000000000000000000000a00000${ordinal}`;
  const queued = recorded('TurnQueued') as SessionEvent & { type: 'TurnQueued' };
  return [
    {
      type: 'TurnQueued',
      data: {
        turn: { ...queued.data.turn, id, seq: ordinal },
        input: { ...queued.data.input, idempotency_key: null, after_sequence: sequence, input_sequence: null },
      },
    },
  ];
};

/** A second nudge, for the event that cancels it. */
function anotherNudge(): SessionEvent[] {
  const { data } = recorded('NudgeQueued') as SessionEvent & { type: 'NudgeQueued' };
  const nudge = { ...data.nudge, id: 'nudge_0000000000000000000000000a000001' };
  return [{ type: 'NudgeQueued', data: { ...data, nudge, idempotency_key: null } }];
}

function recorded(type: SessionEvent['type']): SessionEvent {
  const found = golden.find((event) => event.type === type);
  if (!found) throw new Error(`${type} has no golden file`);
  return upcast(sessionEvents, found.type, structuredClone(found.data), found.schema_version) as SessionEvent;
}

/** One history through every kind of event, and what the state says after each. */
const history: [SessionEvent['type'], (state: SessionState) => unknown, unknown, SessionEvent[]?][] = [
  ['SessionOpened', ({ opening, title, metadata }) => [opening?.session_key, title, metadata], ['k', 'Talk', { a: 1 }]],
  [
    'ContextRecorded',
    ({ context, sequence, messageCount }) => [context.get('board'), sequence, messageCount],
    [{ digest: 'd1', sequence: 1 }, 1, 0],
  ],
  [
    'MessageAppended',
    ({ sequence, messageCount, lastMessageAt }) => [sequence, messageCount, lastMessageAt],
    [2, 1, '2026-01-01T00:00:02.000Z'],
  ],
  [
    'TurnQueued',
    ({ open, turnByKey, queuedAt }) => [open.get(turn)?.turn.status, mapGet(turnByKey, 'key'), listValues(queuedAt)],
    ['queued', 0, [3]],
  ],
  [
    'TurnClaimed',
    ({ open }) => [open.get(turn)?.epoch, open.get(turn)?.runner, open.get(turn)?.turn.phase],
    [1, 'runner_a', 'running'],
  ],
  [
    'TurnRequeued',
    ({ open }) => [open.get(turn)?.epoch, open.get(turn)?.runner, open.get(turn)?.turn.phase],
    [2, null, 'queued'],
  ],
  [
    'ModelAnswered',
    ({ open, totals, model }) => [open.get(turn)?.usage, open.get(turn)?.activeMs, totals.input_tokens, model],
    [{ input_tokens: 7, output_tokens: 2, calls: 1 }, 12, 7, 'm'],
  ],
  [
    'ToolCallsRequested',
    ({ open }) => open.get(turn)?.pending.map(({ call, outcome }) => [call.delivery_id, outcome]),
    [['dlv_1', null]],
  ],
  ['ToolJobStarted', ({ open, hasJobs }) => [open.get(turn)?.pending[0]?.job?.attempt, hasJobs], [1, true]],
  ['TurnParked', ({ open }) => [open.get(turn)?.turn.wait?.interaction_id, open.get(turn)?.activeMs], ['iact_1', 20]],
  ['InteractionMirrored', ({ interactions, applied }) => [interactions.has('iact_1'), applied], [true, ['dlv_m1']]],
  [
    'NudgeQueued',
    ({ pendingNudges, nudgeByKey, nudgeCount }) => [pendingNudges.length, mapGet(nudgeByKey, 'n'), nudgeCount],
    [1, { ordinal: 0, digest: 'nd' }, 1],
  ],
  ['NudgeRetargeted', ({ pendingNudges }) => pendingNudges[0]?.turn.status, 'queued'],
  ['OutcomeReceived', ({ pendingOutcomes, applied }) => [pendingOutcomes.length, applied], [1, ['dlv_m1', 'dlv_o1']]],
  ['ToolCallFinished', ({ open }) => open.get(turn)?.pending[0]?.outcome?.status, 'ok'],
  ['TurnResumed', ({ open }) => [open.get(turn)?.turn.status, open.get(turn)?.turn.wait], ['queued', undefined]],
  ['OutcomeDelivered', ({ pendingOutcomes }) => pendingOutcomes, []],
  ['NudgeDelivered', ({ pendingNudges, nudgeAt }) => [pendingNudges, listValues(nudgeAt)], [[], [17]]],
  ['TurnCompleted', ({ open, finalAt, finalRows }) => [open.size, listValues(finalAt), finalRows], [0, [18], [2]]],
  ['CountersAdded', ({ totals, model, modelProvider }) => [totals.input_tokens, model, modelProvider], [8, 'm2', 'p2']],
  ['TitleChanged', ({ title }) => title, 'Other'],
  ['MetadataReplaced', ({ metadata }) => metadata, { b: 2 }],
  ['CompactionPolicyChanged', ({ compactionPolicy }) => compactionPolicy, { strategy: 'manual' }],
  ['ThinkingEffortChanged', ({ thinkingEffort }) => thinkingEffort, 'high'],
  ['TurnFailed', ({ open, finalAt }) => [open.size, listLength(finalAt)], [0, 2], another(1, 2)],
  ['TurnCancelled', ({ open, finalRows }) => [open.size, finalRows], [0, [2, 2]], another(2, 2)],
  ['NudgeCancelled', ({ pendingNudges }) => pendingNudges, [], anotherNudge()],
  ['CompactionStarted', ({ pass }) => pass?.through_sequence, 3],
  [
    'CompactionFailed',
    ({ pass, passFailure }) => [pass, passFailure],
    [null, { error_type: 'timeout', at: '2026-01-01T00:00:21.000Z' }],
  ],
  [
    'TranscriptSummarised',
    ({ summary, context, sequence, passFailure, windowFrom }) => [
      summary?.covers_through_sequence,
      context.size,
      sequence,
      passFailure,
      windowFrom,
    ],
    [3, 0, 5, null, 4],
  ],
  ['SessionArchived', ({ status }) => status, 'archived'],
  ['SessionReactivated', ({ status }) => status, 'active'],
  ['SessionDeleted', ({ status }) => status, 'deleted'],
  [
    'CustodyChanged',
    ({ opening }) => [opening?.owner.kind, opening?.visibility, opening?.custody_changes],
    ['team', 'organization', ['01kcustody0000000000000000']],
  ],
  [
    'ToolJobDeferred',
    ({ open }) => open.get(turn)?.pending[0]?.job,
    { attempt: 1, resends: 1, timeout_ms: 120_000, deadline: '2026-01-02T00:00:04.000Z', deferred: true },
    [recorded('TurnQueued'), recorded('TurnClaimed'), recorded('ToolCallsRequested'), recorded('ToolJobStarted')],
  ],
];

describe('recorded events of sessions', () => {
  it('are all kept, at every version', () => {
    for (const [type, { version }] of Object.entries(sessionEvents)) {
      for (let older = 1; older <= version; older += 1) {
        expect([type, golden.filter((event) => event.type === type && event.schema_version === older).length]).toEqual([
          type,
          1,
        ]);
      }
    }
  });

  it('fold as they were meant, one after another', () => {
    let state = sessionKind.initial();
    let revision = -1;
    for (const [type, said, expected, before = []] of history) {
      const step = [...before, recorded(type)];
      state = foldFrozen(sessionKind, step, state, revision);
      revision += step.length;
      expect([type, said(state)]).toEqual([type, expected]);
    }
    expect(history.map(([type]) => type).sort()).toEqual(Object.keys(sessionEvents).sort());
  });

  it('fold to the states that snapshots of this version hold', () => {
    const steps = history.map(([type, , , before = []]) => [...before, recorded(type)]);
    expectGoldenStates(__dirname, sessionKind, steps);
  });
});
