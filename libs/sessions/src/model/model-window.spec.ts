import { appended, nothing } from '@aos/kernel';
import type { Decisions } from '@aos/platform';
import type { CompactionPass, Row, SessionEvent } from '../session/session.events.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { ModelWindows, coveredBy, indexOfSequence } from './model-window.js';

const said = (
  sequence: number,
  role: Row['role'],
  block: Row['content'][number],
  more: Partial<Row> = {},
): SessionEvent => ({
  type: 'MessageAppended',
  data: {
    row: {
      id: `msg_${sequence}`,
      role,
      content: [block],
      entry_type: 'message',
      sequence,
      turn_id: null,
      turn_index: null,
      created_at: '2026-01-01T00:00:00.000Z',
      ...more,
    },
  },
});
const text = (sequence: number, role: 'user' | 'assistant' = 'user') =>
  said(sequence, role, { type: 'text', text: `row ${sequence}` });
const call = (sequence: number) =>
  said(sequence, 'assistant', { type: 'tool_use', id: `t${sequence}`, name: 'n', input: {} });
const result = (sequence: number, of: number) =>
  said(sequence, 'user', {
    type: 'tool_result',
    tool_use_id: `t${of}`,
    content: `result ${sequence}`,
    is_error: false,
  });
const value = (sequence: number): SessionEvent => {
  const { data } = said(
    sequence,
    'user',
    { type: 'reminder', name: 'app-a', tier: 'contextual', content: `value ${sequence}` },
    { hidden: 'context' },
  ) as SessionEvent & { type: 'MessageAppended' };
  return { type: 'ContextRecorded', data: { ...data, name: 'a', digest: 'd' } };
};
const summary = (sequence: number, through: number, ...keeps: number[]): SessionEvent => {
  const { data } = said(
    sequence,
    'compaction',
    { type: 'text', text: `summary ${sequence}` },
    { entry_type: 'compaction', covers_through_sequence: through },
  ) as SessionEvent & { type: 'MessageAppended' };
  return {
    type: 'TranscriptSummarised',
    data: { ...data, usage: {}, pass: { through_sequence: through, keeps } as CompactionPass },
  };
};

/** What a window holds, by the sequences that its texts name. */
async function windowOf(windows: ModelWindows, events: SessionEvent[], windowFrom: number) {
  const state: SessionState = {
    ...sessionKind.initial(),
    windowFrom,
    marks: events.reduce<SessionState['marks']>(
      (marks, _event, index) => appended(marks, [index + 1, index] as const),
      nothing,
    ),
  };
  const window = await windows.upTo('ses_a', state, events.length - 1);
  const shown = window.messages.map(({ content: [block] }) =>
    block?.type === 'text'
      ? block.text
      : block?.type === 'tool_use'
        ? block.id
        : block?.type === 'tool_result'
          ? block.content
          : '',
  );
  return { window, shown: shown.map((one) => one.replace(/<[^>]*>\n?|\n/g, '')) };
}

const readerOf = (events: SessionEvent[]) =>
  ({
    ownEvents: () => null,
    read: async (_kind: unknown, _id: string, { from }: { from: number }) =>
      events.slice(from).map((event, index) => ({ ...event, revision: from + index })),
  }) as unknown as Decisions;

describe('rule S48: the window behind a summary that left rows as they are', () => {
  const events = [
    text(1),
    text(2, 'assistant'),
    text(3),
    call(4),
    result(5, 4),
    call(6),
    result(7, 6),
    summary(8, 5, 3),
    value(9),
  ];

  it('is the summary, what stayed, and what came later; the turn begins at its input', async () => {
    const { window, shown } = await windowOf(new ModelWindows(readerOf(events)), events, 3);
    expect(shown).toEqual(['summary 8', 'row 3', 't6', 'result 7', 'value 9']);
    expect(indexOfSequence(window, 3)).toBe(1);
    expect(coveredBy(window, { through_sequence: 7, keeps: [3] }).messages).toHaveLength(3);
  });

  it('is the same when it was read event by event', async () => {
    const windows = new ModelWindows(readerOf(events));
    for (let end = 1; end <= events.length; end += 1) await windowOf(windows, events.slice(0, end), 1);
    const fresh = await windowOf(new ModelWindows(readerOf(events)), events, 3);
    const grown = await windowOf(windows, events, 3);
    expect([grown.shown, grown.window.tokens, grown.window.sequences]).toEqual([
      fresh.shown,
      fresh.window.tokens,
      fresh.window.sequences,
    ]);
  });

  it('keeps calls with their results when context is recorded in between', async () => {
    const between = [text(1), text(2, 'assistant'), text(3), call(4), summary(5, 2), value(6), result(7, 4)];
    expect((await windowOf(new ModelWindows(readerOf(between)), between, 3)).shown).toEqual([
      'summary 5',
      'row 3',
      't4',
      'result 7',
      'value 6',
    ]);
    const unanswered = [call(1), value(2), text(3)];
    expect((await windowOf(new ModelWindows(readerOf(unanswered)), unanswered, 1)).shown).toEqual([
      't1',
      'No result was recorded for this call.',
      'value 2',
      'row 3',
    ]);
  });
});

describe('rule T36: the input of a turn that waits', () => {
  const of = (turn: string, sequence: number, index: number, role: 'user' | 'assistant' = 'user') =>
    said(sequence, role, { type: 'text', text: `row ${sequence}` }, { turn_id: turn, turn_index: index });
  const turnEvent = (type: 'TurnClaimed' | 'TurnCancelled', id: string) =>
    ({ type, data: { turn: { id } } }) as unknown as SessionEvent;
  const events = [
    of('a', 1, 0),
    turnEvent('TurnClaimed', 'a'),
    of('b', 2, 0),
    of('b', 3, 1),
    of('c', 4, 0),
    of('d', 5, 0),
    of('a', 6, 1, 'assistant'),
    turnEvent('TurnClaimed', 'b'),
    of('b', 7, 2, 'assistant'),
    turnEvent('TurnClaimed', 'b'),
    turnEvent('TurnCancelled', 'c'),
    turnEvent('TurnClaimed', 'd'),
  ];
  const orders = [
    [1],
    [1],
    [1],
    [1],
    [1],
    [1],
    [1, 6],
    [1, 6, 2, 3],
    [1, 6, 2, 3, 7],
    [1, 6, 2, 3, 7],
    [1, 6, 2, 3, 7, 4],
    [1, 6, 2, 3, 7, 4, 5],
  ];

  it('is not there before the turn starts, and stands behind what the turns before it said', async () => {
    const windows = new ModelWindows(readerOf(events));
    for (const [index, order] of orders.entries()) {
      const shown = order.map((sequence) => `row ${sequence}`);
      const upTo = events.slice(0, index + 1);
      if (index > 0) expect((await windowOf(windows, upTo, 1)).shown).toEqual(shown);
      expect((await windowOf(new ModelWindows(readerOf(upTo)), upTo, 1)).shown).toEqual(index === 0 ? [] : shown);
    }
  });

  it('begins the turn there, and outlives a summary of the rows around it', async () => {
    const { window } = await windowOf(new ModelWindows(readerOf(events)), events, 1);
    expect([2, 5, 6, 9].map((sequence) => indexOfSequence(window, sequence))).toEqual([2, 6, 1, 7]);
    const summed = [...events.slice(0, 7), summary(8, 6, 2, 4, 5), ...events.slice(7)];
    expect((await windowOf(new ModelWindows(readerOf(summed)), summed, 2)).shown).toEqual([
      'summary 8',
      'row 2',
      'row 3',
      'row 7',
      'row 4',
      'row 5',
    ]);
  });
});
