import { markdownHead, rowMarkdown } from './transcript-markdown';

const row = (role: string, content: object[], more: object = {}) =>
  ({ role, content, sequence: 4, created_at: '2026-01-01T00:00:00.000Z', entry_type: 'message', ...more }) as never;

describe('a transcript as Markdown', () => {
  it('names the session by its title, else by its key', () => {
    const session = {
      id: 'ses_1',
      title: '',
      session_key: 'order-7',
      agent_id: 'agent_1',
      created_at: 'then',
    } as never;
    expect(markdownHead(session)).toBe('# order-7\n\nSession `ses_1`, agent `agent_1`, since then.\n\n');
  });

  it('has text, thinking, calls and results of a row', () => {
    const content = [
      { type: 'thinking', thinking: 'a\nb' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'x', name: 'find', input: { a: 1 } },
      { type: 'tool_result', tool_use_id: 'x', content: '```js\n```', is_error: true },
    ];
    expect(rowMarkdown(row('assistant', content))).toBe(
      [
        '## Agent',
        '<!-- row 4, 2026-01-01T00:00:00.000Z -->',
        '> Thinking: a\n> b',
        'I look.',
        'Call of `find`:',
        '```json\n{\n  "a": 1\n}\n```',
        'Error:',
        '````\n```js\n```\n````',
        '',
      ].join('\n\n'),
    );
  });

  it('says what the service says of a row, and leaves out bytes', () => {
    const partial = { metadata: { partial: true, terminal_outcome: 'failed' } };
    expect(rowMarkdown(row('assistant', [], partial))).toContain('## Agent (kept of a turn that failed)');
    expect(rowMarkdown(row('user', [], { metadata: { session_nudge_id: 'n' } }))).toContain('## User (nudge)');
    const summary = { entry_type: 'compaction', covers_through_sequence: 9 };
    expect(rowMarkdown(row('compaction', [], summary))).toContain('## Summary (rows up to 9)');
    const image = { type: 'image', source: { type: 'base64', data: 'QUJD' } };
    expect(rowMarkdown(row('user', [image]))).toContain('"4 characters of base64"');
  });
});
