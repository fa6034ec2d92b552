import { PassThrough } from 'node:stream';
import { signedHeaders } from '../tails/forward-events.js';
import { planText, type Change } from '../blueprints/plan-text.js';
import type { Io } from './io.js';
import { formatFor, print, type OutputFormat } from './output.js';
import { painter, shown } from './text.js';

function printed(value: unknown, format: OutputFormat, columns = 80): string {
  const out = Object.assign(new PassThrough(), { isTTY: true, columns });
  const io: Io = { input: new PassThrough(), out, error: new PassThrough(), env: { NO_COLOR: '1' } };
  print(value, format, io);
  return (out.read() as Buffer | null)?.toString() ?? '';
}

describe('output', () => {
  const rows = [
    { id: 'agent_1', name: 'guide', description: 'x'.repeat(60), tags: { a: 'b' } },
    { id: 'agent_2', name: 'desk' },
  ];

  it('is one array, a row a line, YAML, or a table', () => {
    expect(JSON.parse(printed(rows, 'json'))).toEqual(rows);
    expect(printed(rows, 'ndjson').split('\n')).toHaveLength(3);
    expect(printed(rows, 'yaml')).toMatch(/^- id: agent_1\n/);
    expect(printed(rows, 'table')).toBe('ID       NAME\nagent_1  guide\nagent_2  desk\n');
    expect(printed([], 'table')).toBe('Nothing here.\n');
    expect(printed([], 'json')).toBe('[]\n');
    expect(printed(undefined, 'json')).toBe('');
  });

  it('leaves columns out in a narrow window, and never the first', () => {
    expect(printed(rows, 'table', 10)).toBe('ID\nagent_1\nagent_2\n');
    expect(printed(rows, 'table', 3)).toBe('ID\nagent_1\nagent_2\n');
    expect(printed({ id: 'agent_1', empty: null }, 'table', 10)).toBe('id  agent_1\n');
  });

  it('cuts the last column to the window, and a pipe has room for all', () => {
    const long = [{ id: 'agent_1', name: 'a'.repeat(40), status: 'idle' }];
    expect(printed(long, 'table', 20)).toBe(`ID       NAME\nagent_1  ${'a'.repeat(10)}…\n`);
    expect(printed(long, 'table', 49)).toBe(`ID       NAME\nagent_1  ${'a'.repeat(40)}\n`);
    const out = new PassThrough();
    print([{ id: 'agent_1', name: 'a'.repeat(48), title: 'b'.repeat(48) }], 'table', {
      input: new PassThrough(),
      out,
      error: new PassThrough(),
      env: {},
    });
    expect(String(out.read())).toContain(`agent_1  ${'a'.repeat(48)}  ${'b'.repeat(48)}\n`);
  });

  it('is a table on a terminal and JSON elsewhere', () => {
    const io: Io = { input: new PassThrough(), out: new PassThrough(), error: new PassThrough(), env: {} };
    expect(formatFor(undefined, io)).toBe('json');
    expect(formatFor(undefined, { ...io, out: Object.assign(new PassThrough(), { isTTY: true }) })).toBe('table');
    expect(formatFor('yaml', io)).toBe('yaml');
  });

  it('shows control characters and marks of direction by their numbers', () => {
    expect(shown('a\u001b[2Jb\u009bc\u202ed\ne\tf')).toBe('a\\u001b[2Jb\\u009bc\\u202ed\ne\tf');
  });
});

describe('a plan', () => {
  it('has + ~ - for resources and fields, and leaves out what stays', () => {
    const changes: Change[] = [
      { resource_type: 'skill', key: 's', action: 'created', name: 's' },
      {
        resource_type: 'agent',
        key: 'a',
        action: 'updated',
        name: 'guide',
        resource_id: 'agent_1',
        fields: ['color', 'model'],
      },
      { resource_type: 'agent', key: 'b', action: 'adopted', resource_id: 'agent_2', fields: [] },
      { resource_type: 'agent', key: 'c', action: 'unchanged' },
    ];
    const resources = {
      skills: [{ key: 's', name: 's', instructions: 'i' }],
      agents: [{ key: 'a', name: 'guide', model: 'm' }],
    };
    expect(planText({ changes, bindings: [] }, { resources }, painter(false))).toBe(
      [
        '+ skill s',
        '    + name',
        '    + instructions',
        '~ agent a "guide" agent_1',
        '    - color',
        '    ~ model',
        '~ agent b agent_2 (taken under this blueprint)',
        '',
      ].join('\n'),
    );
  });
});

test('events are handed over with the headers of Standard Webhooks', () => {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  expect(signedHeaders('evt_1', 1_700_000_000, '{}', secret)).toEqual({
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/) as string,
  });
});
