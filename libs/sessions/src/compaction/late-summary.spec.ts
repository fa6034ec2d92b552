import { fold } from '@aos/kernel';
import { turnId } from '../session/session.ids.js';
import type { CompactionPass, SessionEvent, SessionOpening } from '../session/session.events.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { cancelTurn, claimTurn } from '../turn/run.decide.js';
import { startTurn } from '../turn/start.decide.js';
import { failPass, finishPass, startPass } from './compaction.decide.js';

const now = '2026-01-01T00:00:00.000Z';
const id = 'ses_0000000000000000000000000a';
const turn = turnId(id, 0);
const opening: SessionOpening = {
  id,
  org_id: 'org_a',
  agent_id: 'agent_a',
  session_key: 'k',
  owner: { kind: 'team', id: null },
  visibility: 'organization',
  title: '',
  origin: 'api',
  compaction_policy: { strategy: 'auto', threshold: 'sm' },
  created_by: 'svc_a',
  created_at: now,
};
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

function after(
  past: SessionEvent[],
  decide: (state: SessionState, revision: number) => SessionEvent[],
): SessionEvent[] {
  return [...past, ...decide(fold(sessionKind, structuredClone(past)), past.length - 1)];
}

/** A turn is open and its automatic pass runs. */
function passing(): SessionEvent[] {
  const started = after([], (state, revision) =>
    startTurn(
      {
        now,
        open: opening,
        reactivates: true,
        agent: { status: 'active', timeoutSeconds: 0 },
        idempotencyKey: null,
        content: [{ type: 'text', text: 'hi' }],
        metadata: null,
        context: [],
        operationTimeoutSeconds: null,
        outputSchema: null,
        principalId: 'svc_a',
        principalKind: 'service',
      },
      state,
      revision,
    ),
  );
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
