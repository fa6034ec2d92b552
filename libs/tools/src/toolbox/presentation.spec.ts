import type { JsonObject } from '@aos/kernel';
import type { CatalogAction } from '@aos/definitions/published';
import { present, toolNameMax } from './presentation.decide.js';

const action = (name: string, more: Partial<CatalogAction> = {}): CatalogAction => ({
  name,
  endpoint_kind: 'builtin',
  source: 'platform',
  definition_scope: 'platform',
  readiness: 'ready',
  risk: 'low',
  annotations: {},
  ...more,
});
const names = (actions: CatalogAction[], mode: 'flat' | 'meta') => present(actions, mode).tools.map(({ name }) => name);

describe('flat tools', () => {
  it('R6: dots become underscores, a clash gets a number, 64 characters at most', () => {
    expect(
      names([action('svc.table.save_row'), action('svc.table_save.row'), action('svc_table.save_row')], 'flat'),
    ).toEqual(['svc_table_save_row', 'svc_table_save_row_2', 'svc_table_save_row_3']);
    const long = names([action(`a.${'x'.repeat(100)}1`), action(`a.${'x'.repeat(100)}2`)], 'flat');
    expect(long.map(({ length }) => length)).toEqual([toolNameMax, toolNameMax]);
    expect(long[1]).toMatch(/_2$/);
    expect(names([action('svc.submit.output')], 'flat')).toEqual(['svc_submit_output_2']);
  });

  it('cuts a long description between characters: a provider refuses half of one', () => {
    const whole = `${'x'.repeat(1023)}\u{1F600}`;
    const { tools } = present([action('a.b', { description: `${whole}\u{1F600}` })], 'flat');
    expect(tools.map(({ description }) => description)).toEqual([whole]);
  });

  it('leads each name back to its action, and any other to nothing', () => {
    const shown = present(
      [action('a.b', { title: 'T', description: 'D', input_schema: { properties: { x: {} } } })],
      'flat',
    );
    expect(shown.tools).toEqual([
      { name: 'a_b', description: 'T. D', input_schema: { type: 'object', properties: { x: {} } } },
    ]);
    expect(shown.address('a_b', { x: 1 })).toEqual({ kind: 'action', name: 'a.b', input: { x: 1 } });
    expect(shown.address('a.b', {})).toMatchObject({ kind: 'unknown' });
  });
});

describe('meta tools', () => {
  const shown = present(
    [
      action('github.issue.create'),
      action('github.help'),
      action('lonely'),
      action('svc.table.get'),
      action('svc.table.get_row'),
    ],
    'meta',
  );

  it('R7: one router for each family', () => {
    expect(
      shown.tools.map(({ name, input_schema }) => [
        name,
        (input_schema.properties as { command: { enum: string[] } }).command.enum,
      ]),
    ).toEqual([
      ['github', ['issue.create', 'help_2', 'help']],
      ['custom', ['lonely', 'help']],
      ['svc_table', ['get', 'get_row', 'help']],
    ]);
  });

  it('leads a command to its action, and lists commands on help', () => {
    expect(shown.address('svc_table', { command: 'get_row', args: { row_id: 'r' } })).toEqual({
      kind: 'action',
      name: 'svc.table.get_row',
      input: { row_id: 'r' },
    });
    expect(shown.address('custom', { command: 'lonely' })).toEqual({ kind: 'action', name: 'lonely', input: {} });
    expect(shown.address('svc_table', { command: 'help' })).toEqual({
      kind: 'help',
      text: expect.stringContaining('"command":"get_row"') as string,
    });
    for (const input of [{}, { command: 'none' }, { command: 7 }, { command: 'get', args: [] }] as JsonObject[])
      expect(shown.address('svc_table', input)).toMatchObject({ kind: 'unknown' });
    expect(shown.address('svc_table_get', {})).toMatchObject({ kind: 'unknown' });
  });
});
