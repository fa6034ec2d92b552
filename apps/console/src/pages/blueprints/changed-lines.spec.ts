import { changedLines } from './changed-lines';

describe('the lines of a changed value', () => {
  it('are those that differ', () => {
    expect(changedLines('one\ntwo\nfour', 'one\ntwo and a half\nthree\nfour')).toEqual({
      from: 2,
      goes: ['two'],
      comes: ['two and a half', 'three'],
    });
    expect(changedLines('a\na', 'a\na\na')).toEqual({ from: 3, goes: [], comes: ['a'] });
    expect(changedLines(undefined, false)).toEqual({ from: null, goes: [], comes: ['false'] });
    expect(changedLines({ a: 1, b: 2 }, { a: 1 })).toEqual({
      from: null,
      goes: ['  "a": 1,', '  "b": 2'],
      comes: ['  "a": 1'],
    });
  });
});
