import type { Interaction, TranscriptMessage, TranscriptTurn } from '@aos/client';
import { itemsOf, kindOf, type Item } from './transcript-items';

type Part = Partial<Record<keyof TranscriptMessage, unknown>>;

const row = (sequence: number | null, role: string, content: object[], more: Part = {}) =>
  ({
    id: `msg_${sequence ?? 'live'}`,
    role,
    content,
    sequence,
    turn_id: 'turn_1',
    turn_index: sequence,
    entry_type: 'message',
    status: sequence === null ? 'streaming' : 'final',
    ...more,
  }) as unknown as TranscriptMessage;
const text = (said: string) => ({ type: 'text', text: said });
const call = (id: string) => ({ type: 'tool_use', id, name: 'look_up', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'found' });
const turn = (id: string, status: string) => ({ id, status }) as TranscriptTurn;
const asked = (id: string, callId: string, status = 'pending') =>
  ({ id, status, consumer: { kind: 'agent_tool', agent_tool: { tool_call_id: callId } } }) as unknown as Interaction;

function shown(
  rows: TranscriptMessage[],
  turns: TranscriptTurn[] = [turn('turn_1', 'completed')],
  questions: Interaction[] = [],
) {
  const byId = new Map(turns.map((one) => [one.id, one]));
  return itemsOf({ rows, turns, turn: (id) => byId.get(id), interactions: questions }).map(lineOf);
}

function lineOf(item: Item): string {
  if (item.kind === 'row') return `${item.row} ${item.rowId}${item.isContinued ? ' continued' : ''}`;
  return item.kind === 'question' ? `question ${item.interactionId}` : `${item.kind} ${item.turnId}`;
}

describe('what is shown of a transcript', () => {
  it('begins each turn with a line, and puts streaming rows at the end', () => {
    const rows = [
      row(null, 'assistant', [text('and')]),
      row(1, 'user', [text('hi')], { turn_id: 'turn_1' }),
      row(2, 'assistant', [text('hello')], { turn_id: 'turn_1' }),
      row(3, 'user', [text('more')], { turn_id: 'turn_2' }),
    ].map((one) => (one.sequence === null ? { ...one, turn_id: 'turn_2' } : one));
    expect(shown(rows, [turn('turn_1', 'completed'), turn('turn_2', 'running')])).toEqual([
      'turn turn_1',
      'user msg_1',
      'assistant msg_2',
      'turn turn_2',
      'user msg_3',
      'assistant msg_live',
      'end turn_2',
    ]);
  });

  it('shows results with their call, and as a row only when the call is not there', () => {
    const results = row(3, 'user', [result('toolu_1')]);
    expect(
      shown([row(2, 'assistant', [text('I look'), call('toolu_1')]), results, row(4, 'assistant', [text('So')])]),
    ).toEqual(['turn turn_1', 'assistant msg_2', 'assistant msg_4 continued']);
    expect(shown([results])).toEqual(['turn turn_1', 'results msg_3']);
  });

  it('puts a question under the call that asked it, and an open one without its call at the end', () => {
    const rows = [row(2, 'assistant', [call('toolu_1')]), row(3, 'assistant', [text('asked')])];
    const questions = [
      asked('iact_1', 'toolu_1', 'completed'),
      asked('iact_2', 'gone'),
      asked('iact_3', 'gone', 'expired'),
    ];
    expect(shown(rows, undefined, questions)).toEqual([
      'turn turn_1',
      'assistant msg_2',
      'question iact_1',
      'assistant msg_3 continued',
      'question iact_2',
    ]);
  });

  it('says how a turn ended that was no success, and shows an open turn without a row', () => {
    expect(shown([row(1, 'user', [text('x')])], [turn('turn_1', 'failed'), turn('turn_2', 'queued')])).toEqual([
      'turn turn_1',
      'user msg_1',
      'end turn_1',
      'turn turn_2',
      'end turn_2',
    ]);
  });
});

describe('the sort of a row', () => {
  const reminder = (name: string) => ({ type: 'reminder', name, tier: 'contextual', content: 'x' });
  it.each([
    ['user', row(1, 'user', [text('x')])],
    ['assistant', row(1, 'assistant', [call('a')])],
    ['system', row(1, 'system', [text('x')])],
    ['results', row(1, 'user', [result('a'), result('b')])],
    ['context', row(1, 'user', [reminder('app-page')])],
    ['nudge', row(1, 'user', [reminder('session-nudge')], { metadata: { session_nudge_id: 'nudge_1' } })],
    ['outcome', row(1, 'user', [text('x')], { metadata: { event_type: 'interaction.resolved' } })],
    ['compaction', row(1, 'compaction', [text('x')], { entry_type: 'compaction' })],
    ['partial', row(1, 'assistant', [text('x')], { metadata: { partial: true } })],
  ])('is %s', (kind, one) => {
    expect(kindOf(one)).toBe(kind);
  });
});
