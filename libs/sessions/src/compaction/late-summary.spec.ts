import { turnId } from '../session/session.ids.js';
import type { CompactionPass, SessionEvent } from '../session/session.events.js';
import type { SessionState } from '../session/session.state.js';
import { after, now, sessionId, startOf } from '../testing/session.fixture.js';
import { cancelTurn, claimTurn } from '../turn/run.decide.js';
import { startTurn } from '../turn/start.decide.js';
import { failPass, finishPass, startPass } from './compaction.decide.js';

const turn = turnId(sessionId, 0);
const pass: CompactionPass = {
  trigger: 'auto',
  turn_id: turn,
  started_at: now,
  deadline: '2026-01-01T00:00:30.000Z',
  from_sequence: 1,
  through_sequence: 1,
  message_count: 1,
  estimated_tokens: 5,
  summary_model: 'm',
};

/** A turn is open and its automatic pass runs. */
function passing(): SessionEvent[] {
  const started = after([], (state, revision) => startTurn(startOf(), state, revision));
  return [...started, { type: 'CompactionStarted', data: { pass } }];
}

const owners = (past: SessionEvent[]) =>
  after(past, (state) =>
    finishPass({ pass, text: 'Summary', usage: {}, now: Date.parse(now), at: now, context: [] }, state),
  )
    .slice(past.length)
    .map((event) => (event.type === 'TranscriptSummarised' ? event.data.row.turn_id : event.type));

it('gives a summary to the turn that brought it about', () => {
  expect(owners(passing())).toEqual([turn]);
});

it('gives a cancelled turn no more rows: the summary stands for itself', () => {
  expect(
    owners(
      after(passing(), (state, revision) => cancelTurn({ turnId: turn, now, reason: 'requested' }, state, revision)),
    ),
  ).toEqual([null]);
});

describe('a runner whose turn was taken over', () => {
  const claimed = (past: SessionEvent[], takeover: number | null) =>
    after(past, (state) => claimTurn({ turnId: turn, runner: 'r', now, takeover }, state));
  const takenOver = () => claimed(claimed(passing(), null), 1);
  const start = (epoch: number) => (state: SessionState) =>
    startPass(
      {
        trigger: 'auto',
        claim: { turnId: turn, epoch },
        now: Date.parse(now),
        startedAt: now,
        deadline: pass.deadline,
        estimatedTokens: 5,
        thresholdTokens: 1,
        summaryModel: 'm',
        seen: [{ sequence: 1, turnId: null, answers: false, context: false, calls: [], results: [], tokens: 5 }],
        seenThrough: state.sequence,
      },
      {
        ...state,
        finalRows: [1, 1],
        open: new Map(
          [...state.open].map(([key, open]) => [key, { ...open, input: { ...open.input, input_sequence: null } }]),
        ),
      },
    );

  it('commits neither the summary nor the failure of its pass', () => {
    const past = takenOver();
    expect(owners(past)).toEqual([]);
    expect(after(past, (state) => failPass({ pass, errorType: 'timeout', message: '', at: now }, state))).toHaveLength(
      past.length,
    );
  });

  it('begins no pass; the one that took over does', () => {
    const past = takenOver();
    expect(after(past, start(1)).slice(past.length)).toEqual([]);
    expect(after(past, start(2)).slice(past.length)).toMatchObject([
      { type: 'CompactionStarted', data: { pass: { turn_id: turn } } },
    ]);
  });
});
