import { spansOf, turnSteps } from './turn-steps';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const row = (sequence: number, role: string, content: object[], more: object = {}) =>
  ({
    id: `msg_${sequence}`,
    role,
    content,
    sequence,
    status: 'final',
    entry_type: 'message',
    created_at: at(sequence),
    ...more,
  }) as never;

describe('the steps of a turn', () => {
  it('are its input, the calls of the model and those of tools, with the time that each took', () => {
    const rows = [
      row(1, 'user', [{ type: 'text', text: 'find it' }]),
      row(3, 'assistant', [
        { type: 'text', text: 'I look' },
        { type: 'tool_use', id: 'toolu_1', name: 'find', input: {} },
      ]),
      row(7, 'user', [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }]),
      row(8, 'assistant', [{ type: 'thinking', thinking: 'hm' }]),
    ];
    const result = { block: { type: 'tool_result' }, at: at(7) } as never;
    const steps = turnSteps(rows, (id) => (id === 'toolu_1' ? result : undefined));
    expect(steps.map(({ kind, what, took, status }) => [kind, what, took, status])).toEqual([
      ['input', 'find it', null, null],
      ['model', 'I look', 2000, null],
      ['tool', 'find', 4000, 'ok'],
      ['model', 'thinking', 1000, null],
    ]);
    expect(spansOf(steps)).toEqual([
      null,
      { from: 0, length: 2 / 7 },
      { from: 2 / 7, length: 4 / 7 },
      { from: 6 / 7, length: 1 / 7 },
    ]);
  });

  it('say of what goes on that it does, and give it no time', () => {
    const rows = [
      row(1, 'user', [{ type: 'text', text: 'x' }]),
      row(2, 'assistant', [{ type: 'tool_use', id: 'toolu_1', name: 'find', input: {}, status: 'running' }], {
        status: 'streaming',
        sequence: null,
      }),
    ];
    expect(turnSteps(rows, () => undefined).map(({ kind, took, status }) => [kind, took, status])).toEqual([
      ['input', null, null],
      ['model', null, 'running'],
      ['tool', null, 'running'],
    ]);
    expect(spansOf(turnSteps(rows, () => undefined))).toEqual([null, null, null]);
  });
});
