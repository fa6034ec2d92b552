import type { CompactionPass, SessionEvent } from '../session/session.events.js';
import { given } from '@aos/kernel/testing';
import { turnId } from '../session/session.ids.js';
import { sessionKind } from '../session/session.state.js';
import { now as at, openingOf, startOf } from '../testing/session.fixture.js';
import { startTurn } from '../turn/start.decide.js';
import { fold } from '@aos/kernel';
import { contextAgainMax, finishPass } from './compaction.decide.js';

const now = Date.parse(at);
const opening = openingOf();
const board = { name: 'board', content: 'red', digest: 'd' };
const start = startOf({ context: [board] });

function history(trigger: 'auto' | 'manual', turn: string | null): { past: SessionEvent[]; pass: CompactionPass } {
  const pass: CompactionPass = {
    trigger,
    turn_id: turn,
    started_at: at,
    deadline: '2026-01-01T00:00:30.000Z',
    from_sequence: 1,
    through_sequence: 1,
    message_count: 1,
    estimated_tokens: 1,
    summary_model: 'm',
  };
  return {
    past: [...startTurn(start, fold(sessionKind, []), -1), { type: 'CompactionStarted', data: { pass } }],
    pass,
  };
}

describe('rule S48: context values that a pass covers', () => {
  it.each([
    ['auto', turnId(opening.id, 0)],
    ['manual', null],
  ] as const)('are recorded again behind the summary of a pass that was started by %s', (trigger, turn) => {
    const { past, pass } = history(trigger, turn);
    given(sessionKind, ...past)
      .when((state) => finishPass({ pass, text: 'S', usage: {}, now, at, context: [board] }, state))
      .thenState(({ context, sequence }) => {
        expect([context.get('board'), sequence]).toEqual([{ digest: 'd', sequence: 4 }, 4]);
      });
  });

  it('are not when the value has changed since, and of very many the newest are', () => {
    const { past, pass } = history('auto', turnId(opening.id, 0));
    given(sessionKind, ...past)
      .when((state) =>
        finishPass({ pass, text: 'S', usage: {}, now, at, context: [{ ...board, digest: 'old' }] }, state),
      )
      .thenTypes('TranscriptSummarised');
    const items = Array.from({ length: contextAgainMax + 1 }, (_, index) => ({
      name: `n${index}`,
      content: 'x',
      digest: 'd',
    }));
    const many = startTurn({ ...start, context: items }, fold(sessionKind, []), -1);
    const wide: CompactionPass = { ...pass, through_sequence: items.length };
    given(sessionKind, ...many, { type: 'CompactionStarted', data: { pass: wide } })
      .when((state) => finishPass({ pass: wide, text: 'S', usage: {}, now, at, context: items }, state))
      .thenState(({ context }) => {
        expect([context.size, context.has('n0'), context.has('n1')]).toEqual([contextAgainMax, false, true]);
      });
  });
});
