import type { Frame } from '../connection/service.js';
import { TurnView, type Turn } from './turn-view.js';

function viewed(frames: Record<string, unknown>[]): {
  text: string;
  rows: string[];
  tools: string[];
  final: Turn | null;
} {
  const seen = { text: '', rows: [] as string[], tools: [] as string[] };
  const view = new TurnView('turn_1', {
    text: (piece) => (seen.text += piece),
    row: (text) => seen.rows.push(text),
    tool: (name) => seen.tools.push(name),
    toolFailed: (name, why) => seen.tools.push(`${name} failed: ${why}`),
    question: () => undefined,
    waiting: () => undefined,
  });
  const ends = frames.map((data) => view.take({ data } as Frame)).filter((turn) => turn !== null);
  return { ...seen, final: ends[0] ?? null };
}

const row = (text: string, more: object = {}) => ({
  event_type: 'message.upsert',
  id: 'msg_1',
  role: 'assistant',
  turn_id: 'turn_1',
  status: 'final',
  content: [{ type: 'text', text }],
  ...more,
});
const delta = (text: string) => ({ event_type: 'message.delta', message_id: 'msg_1', content_index: 0, text });

describe('the view of a turn', () => {
  it('gives each character once, however its frames come', () => {
    const block = {
      event_type: 'message.block',
      message_id: 'msg_1',
      content_index: 0,
      block: { type: 'text', text: 'one two' },
    };
    expect(viewed([delta('one '), delta('two'), block, row('one two three'), row('one two three')])).toMatchObject({
      text: 'one two three',
      rows: ['one two three'],
    });
    expect(viewed([row('on', { status: 'streaming' }), row('one')])).toMatchObject({ text: 'one', rows: ['one'] });
    const behind = row('one ', { status: 'streaming' });
    expect(viewed([delta('one '), delta('two '), behind, delta('two '), delta('three')])).toMatchObject({
      text: 'one two three',
    });
  });

  it('says of a tool call that failed why it did, once', () => {
    const used = row('', { content: [{ type: 'tool_use', id: 'toolu_1', name: 'crm_lookup' }] });
    const result = (content: unknown, more: object = {}) =>
      row('', {
        id: 'msg_2',
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content, ...more }],
      });
    const refused = result('{"error":{"code":"not_found","message":"no such case"}}');
    expect(viewed([used, refused, refused]).tools).toEqual(['crm_lookup', 'crm_lookup failed: no such case']);
    expect(viewed([used, result([{ type: 'text', text: 'it broke' }])]).tools).toEqual([
      'crm_lookup',
      'crm_lookup failed: it broke',
    ]);
    expect(viewed([used, result('found', { is_error: false })]).tools).toEqual(['crm_lookup']);
    expect(viewed([used, { ...refused, turn_id: 'turn_2' }]).tools).toEqual(['crm_lookup']);
  });

  it('leaves out rows of people and of other turns, and names each tool once', () => {
    const tool = { type: 'tool_use', name: 'crm_lookup' };
    const used = row('', { content: [tool] });
    expect(
      viewed([
        row('mine', { role: 'user' }),
        row('other', { turn_id: 'turn_2' }),
        { ...used, status: 'streaming' },
        used,
      ]),
    ).toMatchObject({ text: '', rows: [''], tools: ['crm_lookup'] });
  });

  it('ends with its own turn only', () => {
    const turn = (id: string, status: string) => ({ event_type: 'turn.upsert', id, status });
    expect(
      viewed([turn('turn_2', 'completed'), turn('turn_1', 'running'), { event_type: 'unknown' }]).final,
    ).toBeNull();
    expect(viewed([turn('turn_1', 'failed')]).final).toMatchObject({ status: 'failed' });
  });
});
