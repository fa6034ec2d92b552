import { callDuration, toolCallOf } from './tool-call';

const at = '2026-01-01T00:00:00.000Z';
const block = (more: object = {}) =>
  ({ type: 'tool_use', id: 'toolu_1', name: 'svc_call', input: { a: 1 }, ...more }) as never;
const result = (content: unknown, more: object = {}) =>
  ({
    block: { type: 'tool_result', tool_use_id: 'toolu_1', content, ...more },
    at: '2026-01-01T00:00:02.500Z',
  }) as never;

describe('a tool call', () => {
  it('has the action that it ended up at, and the name that the model saw', () => {
    const action = { name: 'crm.find', input: { b: 2 } };
    expect(toolCallOf(block({ resolved_action: action }), undefined)).toMatchObject({
      name: 'crm.find',
      shownAs: 'svc_call',
      input: { b: 2 },
    });
    expect(toolCallOf(block(), undefined)).toMatchObject({ name: 'svc_call', shownAs: null, input: { a: 1 } });
  });

  it.each([
    ['pending', {}, undefined],
    ['running', { status: 'running' }, undefined],
    ['ok', { status: 'running' }, result('x')],
    ['ok', { status: 'ok' }, result('x')],
    ['error', { status: 'ok' }, result('x', { is_error: true })],
    ['error', { status: 'error' }, result('x')],
    ['cancelled', { status: 'cancelled' }, undefined],
    ['pending', { status: 'one of later' }, undefined],
  ])('is %s', (status, more, found) => {
    expect(toolCallOf(block(more), found).status).toBe(status);
  });

  it.each([
    ['JSON as text', '{"a":[1]}', { a: [1] }],
    ['text', 'found', 'found'],
    ['text that begins like JSON', '{not json', '{not json'],
    ['blocks of text', [{ type: 'text', text: '[1]' }], [1]],
    ['blocks of other sorts', [{ type: 'image' }], [{ type: 'image' }]],
  ])('gives %s', (_what, content, output) => {
    expect(toolCallOf(block(), result(content)).output).toEqual(output);
  });

  it('took from its row to that of its result', () => {
    expect(callDuration(at, result('x'))).toBe(2500);
    expect(callDuration(at, undefined)).toBeNull();
  });
});
