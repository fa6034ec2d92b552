import { painter } from '../console/text.js';
import { valueLines, valueOnLine, type FieldChange } from './value-text.js';

const lines = (before: unknown, after: unknown): string[] =>
  valueLines({ field: 'f', ...(before === undefined ? {} : { before }), after }, painter(false));

describe('a field that changes', () => {
  it.each<[FieldChange, string | null]>([
    [{ field: 'f', before: false, after: true }, ': false -> true'],
    [{ field: 'f', before: 'a', after: 'b' }, ': "a" -> "b"'],
    [{ field: 'f', after: 'b' }, ': nothing -> "b"'],
    [{ field: 'f', before: ['a'] }, ': ["a"] -> nothing'],
    [{ field: 'f', before: 'a', after: 'b\nc' }, null],
    [{ field: 'f', before: 'x'.repeat(80), after: 'b' }, null],
  ])('stands on one line where it is short: %j', (change, line) => {
    expect(valueOnLine(change)).toBe(line);
  });

  it('shows the lines that differ, and where they begin', () => {
    expect(lines('one\ntwo\nfour', 'one\ntwo and a half\nthree\nfour')).toEqual([
      'from line 2',
      '- two',
      '+ two and a half',
      '+ three',
    ]);
    expect(lines('a\na', 'a\na\na')).toEqual(['from line 3', '+ a']);
    expect(lines(undefined, 'new')).toEqual(['+ new']);
    expect(lines({ a: 1, b: 2 }, { a: 1, b: 3 })).toEqual(['-   "b": 2', '+   "b": 3']);
  });

  it('shows of a long line the part that differs, and of many lines the first', () => {
    const [goes = '', comes = ''] = lines(`${'x'.repeat(5_000)}old`, `${'x'.repeat(5_000)}new`);
    expect(goes).toMatch(/^- …x+old$/);
    expect(comes).toMatch(/^\+ …x+new$/);
    expect(goes.length).toBeLessThan(170);
    const many = lines('', Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n'));
    expect(many).toHaveLength(1 + 20 + 1);
    expect(many.at(-1)).toBe('+ … 30 more lines');
  });

  it('lets no text of others steer the terminal', () => {
    expect(lines('a', `b${String.fromCharCode(27)}[2J`)[1]).toBe('+ b\\u001b[2J');
    expect(valueOnLine({ field: 'f', before: 'a', after: '\u202eb' })).toBe(': "a" -> "\\u202eb"');
  });
});
