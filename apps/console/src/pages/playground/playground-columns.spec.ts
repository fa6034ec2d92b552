import { columnsOf, filtersOf, outputSchemaOf } from './playground-columns';

describe('the columns of the playground', () => {
  it('come back from the address that they make', () => {
    for (const columns of [
      [{ model: '', sessionId: null }],
      [{ model: 'a', sessionId: 'ses_1' }],
      [
        { model: '', sessionId: null },
        { model: 'b', sessionId: 'ses_2' },
        { model: '', sessionId: null },
      ],
    ])
      expect(columnsOf(filtersOf(columns))).toEqual(columns);
  });

  it('are four at most, and one when the address names none', () => {
    expect(columnsOf({ models: 'a,b,c,d,e' })).toHaveLength(4);
    expect(columnsOf({})).toEqual([{ model: '', sessionId: null }]);
  });
});

describe('the schema of the output', () => {
  it.each([
    ['', null, null],
    ['{"type":"object"}', { type: 'object' }, null],
    ['[1]', null, 'A schema is a JSON object.'],
    ['{', null, expect.stringContaining('No JSON yet')],
  ])('%j', (text, schema, fault) => {
    expect(outputSchemaOf(text)).toEqual({ schema, fault });
  });
});
