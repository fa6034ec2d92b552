import fc from 'fast-check';
import type { ModelBlock, ModelMessage } from '@aos/kernel';
import { paired, type OpenCalls } from './tool-pairs.js';

const use = (id: string): ModelBlock => ({ type: 'tool_use', id, name: 't', input: {} });
const result = (id: string): ModelBlock => ({ type: 'tool_result', tool_use_id: id, content: id, is_error: false });
const said: ModelBlock = { type: 'text', text: 'hi' };
const assistant = (...content: ModelBlock[]): ModelMessage => ({ role: 'assistant', content, tokens: 1 });
const user = (...content: ModelBlock[]): ModelMessage => ({ role: 'user', content, tokens: 1 });

function window(messages: ModelMessage[]): ModelMessage[] {
  const open: OpenCalls = new Set();
  return messages.flatMap((message) => paired(message, open));
}

describe('calls and results in a window', () => {
  it('stay as they are when they pair', () => {
    const messages = [user(said), assistant(use('a'), use('b')), user(result('a'), result('b')), assistant(said)];
    expect(window(messages)).toEqual(messages);
  });

  it('get a result that says so when a call was passed over', () => {
    expect(window([assistant(use('a')), user(said)]).map(({ content }) => content.map(({ type }) => type))).toEqual([
      ['tool_use'],
      ['tool_result'],
      ['text'],
    ]);
  });

  it('turn a result without its call into text', () => {
    expect(window([user(result('gone'))])[0]?.content).toEqual([
      { type: 'text', text: '[result of an earlier call] gone' },
    ]);
  });

  it('are text where they cannot stand: a call of a user, a result in an answer', () => {
    expect(window([user(use('a')), user(result('a'))]).map(({ content }) => content)).toEqual([
      [{ type: 'text', text: '[an earlier call of t] {}' }],
      [{ type: 'text', text: '[result of an earlier call] a' }],
    ]);
    expect(window([assistant(use('a')), assistant(result('a'))]).map(({ content }) => content)).toEqual([
      [use('a')],
      [{ type: 'tool_result', tool_use_id: 'a', content: 'No result was recorded for this call.', is_error: true }],
      [{ type: 'text', text: '[result of an earlier call] a' }],
    ]);
  });

  it('pair whatever rows come: each call is answered once, at once, and no result stands alone', () => {
    const block = fc.oneof(
      fc.constant(said),
      fc.constantFrom('a', 'b', 'c').map(use),
      fc.constantFrom('a', 'b', 'c').map(result),
    );
    const rows = fc.array(
      fc.record({
        by: fc.constantFrom('user', 'assistant'),
        content: fc.uniqueArray(block, { minLength: 1, maxLength: 4, selector: (each) => JSON.stringify(each) }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(rows, (history) => {
        const messages = window(
          history.map(({ by, content }) => (by === 'assistant' ? assistant(...content) : user(...content))),
        );
        for (const [index, { role, content }] of messages.entries()) {
          const misplaced = role === 'assistant' ? 'tool_result' : 'tool_use';
          expect(content.map(({ type }) => type)).not.toContain(misplaced);
          const before =
            messages[index - 1]?.content.flatMap((each) => (each.type === 'tool_use' ? [each.id] : [])) ?? [];
          const results = content.flatMap((each) => (each.type === 'tool_result' ? [each.tool_use_id] : []));
          expect([...results].sort()).toEqual([...before].sort());
        }
      }),
    );
  });
});
