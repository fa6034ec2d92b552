import { fold } from '@aos/kernel';
import { turnId } from '../session/session.ids.js';
import type { OutcomeRecord, SessionEvent } from '../session/session.events.js';
import { sessionKind } from '../session/session.state.js';
import { applyOutcome } from '../outcomes/outcomes.decide.js';
import { after, now, sessionId, startOf } from '../testing/session.fixture.js';
import { claimTurn, parkTurn, recordAnswer, recordOutcome } from './run.decide.js';
import { startTurn } from './start.decide.js';

const id = turnId(sessionId, 0);
const outcome: OutcomeRecord = {
  interaction_id: 'iact_a',
  delivery_id: 'dlv_a',
  content: [{ type: 'text', text: 'yes' }],
  metadata: {},
  principal_id: 'svc_a',
  principal_kind: 'service',
};

/** A running turn whose answer asked a question. */
function asking(): SessionEvent[] {
  const started = after([], (state, revision) => startTurn(startOf(), state, revision));
  const claimed = after(started, (state) => claimTurn({ turnId: id, runner: 'r', now, takeover: null }, state));
  const calls = [{ tool_call_id: 'call_a', name: 'ask', input: {}, content_index: 0, delivery_id: 'dlv_call' }];
  return after(claimed, (state) =>
    recordAnswer(
      {
        turnId: id,
        epoch: 1,
        now,
        content: [{ type: 'tool_use', id: 'call_a', name: 'ask', input: {} }],
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

const park = {
  turnId: id,
  epoch: 1,
  now,
  waits: [{ kind: 'interaction', tool_call_id: 'call_a', interaction_id: 'iact_a' }],
  jobs: [],
  activeMs: 2,
};

it('does not wait for an outcome that came between the question and the park', () => {
  const answered = after(asking(), (state, revision) =>
    applyOutcome({ outcome, now, timeoutSeconds: 600, agentActive: true }, state, revision),
  );
  const parked = after(answered, (state) => parkTurn(park, state));
  expect(parked.slice(answered.length).map(({ type }) => type)).toEqual([
    'ToolCallFinished',
    'MessageAppended',
    'MessageAppended',
    'OutcomeDelivered',
  ]);
  expect(fold(sessionKind, structuredClone(parked)).open.get(id)?.turn.status).toBe('running');
});

it('waits for one that has not come', () => {
  const past = asking();
  expect(
    after(past, (state) => parkTurn(park, state))
      .slice(past.length)
      .map(({ type }) => type),
  ).toEqual(['TurnParked']);
});

it('records the context of a result behind its row, once while it stays the same, and keeps the skill that was invoked', () => {
  const brought = {
    tool_call_id: 'call_a',
    status: 'ok' as const,
    content: '{}',
    is_error: false,
    skill_id: 'skill_a',
    context: [{ name: 'board', content: 'blue', digest: 'd1' }],
  };
  const past = asking();
  const done = after(past, (state) => recordOutcome({ turnId: id, epoch: 1, now, outcome: brought }, state));
  expect(done.slice(past.length).map(({ type }) => type)).toEqual([
    'ToolCallFinished',
    'MessageAppended',
    'ContextRecorded',
  ]);
  const state = fold(sessionKind, structuredClone(done));
  expect(state.context.get('board')?.digest).toBe('d1');
  expect(state.open.get(id)?.skills).toEqual(['skill_a']);
  const calls = [{ tool_call_id: 'call_b', name: 'ask', input: {}, content_index: 0, delivery_id: 'dlv_b' }];
  const asked = after(done, (folded) =>
    recordAnswer(
      {
        turnId: id,
        epoch: 1,
        now,
        content: [{ type: 'tool_use', id: 'call_b', name: 'ask', input: {} }],
        usage: { calls: 1 },
        model: 'm',
        provider: 'p',
        activeMs: 1,
        calls,
        textOutput: null,
      },
      folded,
    ),
  );
  const again = after(asked, (folded) =>
    recordOutcome({ turnId: id, epoch: 1, now, outcome: { ...brought, tool_call_id: 'call_b' } }, folded),
  );
  expect(again.slice(asked.length).map(({ type }) => type)).toEqual(['ToolCallFinished', 'MessageAppended']);
});
