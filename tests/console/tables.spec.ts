import { valueOfText, textOfValue } from '../../apps/console/src/pages/tables/cell-values';
import { csvText, readCsv, withFormula, withoutFormula } from '../../apps/console/src/pages/tables/csv';
import { planOf } from '../../apps/console/src/pages/tables/import-plan';
import { filterOf, nextSort, sortFrom, termsOf } from '../../apps/console/src/pages/tables/row-filters';

describe('CSV', () => {
  it('gives back what was written, with quotes, commas and line ends in cells', () => {
    const records = [
      ['a', 'b'],
      ['1, "2"', 'x\r\ny'],
      ['', 'ä'],
      ['', ''],
    ];
    const text = csvText(records);
    expect(text).toBe('a,b\r\n"1, ""2""","x\r\ny"\r\n,ä\r\n,\r\n');
    expect(readCsv(`\uFEFF${text}`, 10).map(({ cells }) => cells)).toEqual(records);
  });

  it('knows the line that a record begins on, and passes over empty lines', () => {
    expect(readCsv('a\n"1\n2"\n\n3', 10).map(({ line }) => line)).toEqual([1, 2, 5]);
  });

  it('refuses a quote that is not closed, and too many lines', () => {
    expect(() => readCsv('a\n"b', 10)).toThrow('A quote that begins on line 2 is not closed.');
    expect(() => readCsv('a\nb\nc', 2)).toThrow('The file has more than 2 lines.');
  });

  it.each(['=1+1', '+1', '-1', '@sum', '\tx', '\rx', "'=1", "''@"])(
    'makes no formula of %j, and gives it back',
    (text) => {
      expect(withoutFormula(text)).toBe(`'${text}`);
      expect(withFormula(withoutFormula(text))).toBe(text);
    },
  );

  it.each(['', 'a=1', "it's", "'quoted'", '1'])('leaves %j as it is', (text) => {
    expect(withoutFormula(text)).toBe(text);
    expect(withFormula(text)).toBe(text);
  });
});

describe('cells', () => {
  it.each([
    ['number', '1.5', 1.5],
    ['boolean', 'TRUE', true],
    ['date', '2026-02-28', '2026-02-28'],
    ['object', '{"a":1}', { a: 1 }],
    ['array', '[1]', [1]],
    ['any', 'plain', 'plain'],
    ['any', '"1"', '1'],
    ['string', '1', '1'],
    ['string', '', null],
  ] as const)('read %s from %j', (type, text, value) => {
    expect(valueOfText(text, type)).toEqual({ value });
    if (text !== 'TRUE') expect(textOfValue(value, type)).toBe(text);
  });

  it.each([
    ['number', '1,5'],
    ['number', ' '],
    ['boolean', 'yes'],
    ['date', '2026-02-30'],
    ['object', '[1]'],
    ['array', '{}'],
  ] as const)('refuse for %s %j', (type, text) => {
    expect(valueOfText(text, type)).toEqual({ fault: expect.any(String) as string });
  });
});

describe('an import', () => {
  const schema = {
    identity_column: 'number',
    columns: [
      { name: 'number', type: 'string' },
      { name: 'amount', type: 'number', required: true },
    ],
  } as const;
  const plan = (text: string) => planOf(readCsv(text, 100), schema);

  it('reads rows by the types of columns, and says each refused one with its reason', () => {
    expect(plan("number,amount\n'-a,1\nb,two\nc\n'-a,3\n,4\nd,\n")).toEqual({
      rows: [{ line: 2, identity: '-a', data: { number: '-a', amount: 1 } }],
      refused: [
        { line: 3, reason: 'amount: “two” is not a number' },
        { line: 4, reason: 'it has 1 cells, the first line 2' },
        { line: 5, reason: 'line 2 has the same number' },
        { line: 6, reason: 'number is empty' },
        { line: 7, reason: 'amount is empty' },
      ],
    });
  });

  it('refuses a file whose first line does not fit', () => {
    expect(() => plan('amount\n1')).toThrow('The first line does not name the column number.');
    expect(() => plan('number,amount,amount\n')).toThrow('The first line names amount twice.');
    expect(() => plan('number,more\n')).toThrow('The table has no column more.');
  });

  it('takes further columns for an open table', () => {
    const { rows } = planOf(readCsv('number,amount,more\na,1,x\n', 10), { ...schema, open: true });
    expect(rows[0]?.data).toEqual({ number: 'a', amount: 1, more: 'x' });
  });
});

describe('filters and order', () => {
  it('keep terms in the words of the API', () => {
    const filter = { status: 'open', amount: { $gt: 1, $lt: 9 }, about: { a: 1 } };
    const terms = termsOf(filter);
    expect(terms).toEqual([
      { column: 'status', operator: '$eq', value: 'open' },
      { column: 'amount', operator: '$gt', value: 1 },
      { column: 'amount', operator: '$lt', value: 9 },
      { column: 'about', operator: '$eq', value: { a: 1 } },
    ]);
    expect(filterOf(terms)).toEqual({ status: { $eq: 'open' }, amount: { $gt: 1, $lt: 9 }, about: { $eq: { a: 1 } } });
  });

  it('go up, down, and away', () => {
    expect(nextSort(null, 'a')).toBe('a');
    expect(nextSort(sortFrom('a'), 'a')).toBe('-a');
    expect(nextSort(sortFrom('-a'), 'a')).toBe('');
    expect(nextSort(sortFrom('-a'), 'b')).toBe('b');
  });
});
