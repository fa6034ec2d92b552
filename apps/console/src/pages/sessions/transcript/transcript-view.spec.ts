import type { TranscriptFrame } from '@aos/client';
import { TranscriptView } from './transcript-view';

const upsert = (id: string, sequence: number | null, content: object[], more: object = {}) =>
  ({
    data: {
      event_type: 'message.upsert',
      id,
      role: 'assistant',
      entry_type: 'message',
      content,
      sequence,
      turn_id: 'turn_1',
      turn_index: 0,
      status: sequence === null ? 'streaming' : 'final',
      created_at: '2026-01-01T00:00:00.000Z',
      ...more,
    },
  }) as unknown as TranscriptFrame;
const delta = (message_id: string, text: string) =>
  ({ data: { event_type: 'message.delta', message_id, content_index: 0, text } }) as unknown as TranscriptFrame;
const turn = (status: string) =>
  ({ data: { event_type: 'turn.upsert', id: 'turn_1', status, updated_at: status } }) as unknown as TranscriptFrame;
const text = (said: string) => ({ type: 'text', text: said });
const stored = (id: string, sequence: number, content: object[], role = 'user') =>
  ({ id, role, content, sequence, entry_type: 'message', created_at: '2026-01-01T00:00:00.000Z' }) as never;

function watched() {
  let asked = 0;
  const view = new TranscriptView(() => (asked += 1));
  const called: string[] = [];
  view.subscribe(() => called.push('items'));
  const watch = (id: string) => view.rows.subscribe(id, () => called.push(id));
  return { view, called, watch, asked: () => asked };
}

function said(view: TranscriptView, id: string): unknown {
  return (view.rows.get(id)?.content[0] as { text?: string } | undefined)?.text;
}

describe('the view of a transcript', () => {
  it('tells of a growing row its own listeners and no other, once for all deltas of a flush', () => {
    const { view, called, watch, asked } = watched();
    view.apply(upsert('msg_1', 1, [text('before')]));
    view.apply(upsert('msg_2', null, [text('')]));
    view.flush();
    watch('msg_1');
    watch('msg_2');
    called.splice(0);
    const items = view.items;
    for (const word of ['one ', 'two ', 'three']) view.apply(delta('msg_2', word));
    expect(called).toEqual([]);
    view.flush();
    expect(called).toEqual(['msg_2']);
    expect(said(view, 'msg_2')).toBe('one two three');
    expect(view.items).toBe(items);
    expect(asked()).toBe(5);
  });

  it('takes the streaming row away when its turn is final, and keeps its final row', () => {
    const { view } = watched();
    view.apply(upsert('msg_1', null, [text('half')]));
    view.apply(upsert('msg_2', 1, [text('whole')]));
    view.apply(turn('failed'));
    view.flush();
    expect(view.rows.has('msg_1')).toBe(false);
    expect(view.items.map(({ key }) => key)).toEqual(['turn:msg_2', 'msg_2', 'end:turn_1']);
  });

  it('joins older rows in front without another item for the rows that are there', () => {
    const { view } = watched();
    view.apply(upsert('msg_9', 9, [text('new')]));
    view.flush();
    const last = view.items.at(-1);
    view.addRows([stored('msg_2', 2, [text('old')]), stored('msg_9', 9, [text('as the list has it')])]);
    view.flush();
    expect(view.items.map(({ key }) => key)).toEqual(['msg_2', 'turn:msg_9', 'msg_9']);
    expect(view.items.at(-1)).toBe(last);
    expect(said(view, 'msg_9')).toBe('new');
  });

  it('changes a block of a row that a list gave', () => {
    const { view } = watched();
    view.addRows([stored('msg_3', 3, [{ type: 'tool_use', id: 'toolu_1', name: 'a', input: {} }], 'assistant')]);
    view.apply({
      data: { event_type: 'message.block.patch', message_id: 'msg_3', content_index: 0, status: 'ok' },
    } as unknown as TranscriptFrame);
    expect(view.rows.get('msg_3')?.content[0]).toMatchObject({ id: 'toolu_1', status: 'ok' });
  });

  it('finds the result of a call, whichever came first', () => {
    const { view } = watched();
    view.addRows([stored('msg_4', 4, [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'found' }])]);
    view.flush();
    expect(view.items.map(({ key }) => key)).toEqual(['msg_4']);
    view.addRows([stored('msg_3', 3, [{ type: 'tool_use', id: 'toolu_1', name: 'a', input: {} }], 'assistant')]);
    view.flush();
    expect(view.items.map(({ key }) => key)).toEqual(['msg_3']);
    expect(view.results.get('toolu_1')).toMatchObject({ block: { content: 'found' } });
  });
});
