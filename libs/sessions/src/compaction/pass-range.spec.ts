import { linearGrowthMax, timeGrowth } from '@aos/kernel/testing';
import { sessionKind, type OpenTurn, type SessionState } from '../session/session.state.js';
import { passRange, type SeenRow } from './pass-range.decide.js';

const base: SeenRow = { sequence: 0, turnId: null, answers: false, context: false, calls: [], results: [], tokens: 10 };
/** Rows by a word each: `u` user, `a` answer, `c1` call, `r1` result, `x` context, behind `t:` of turn t. */
const rows = (text: string): SeenRow[] =>
  text.split(' ').map((word, index) => {
    const [, turnId = null, kind = '', id = ''] = /^(?:(\w):)?([uacrx])(\d*)$/.exec(word) ?? [];
    return {
      ...base,
      sequence: index + 1,
      turnId,
      answers: kind === 'a' || kind === 'c',
      context: kind === 'x',
      calls: kind === 'c' ? [id] : [],
      results: kind === 'r' ? [id] : [],
    };
  });
const open = (input: number | null, ...pending: string[]) =>
  ({
    input: { input_sequence: input },
    pending: pending.map((id) => ({ call: { tool_call_id: id } })),
  }) as unknown as OpenTurn;
const session = (finalRows: number[], turns: Record<string, OpenTurn> = {}, covered = 0): SessionState => ({
  ...sessionKind.initial(),
  finalRows,
  open: new Map(Object.entries(turns)),
  summary: covered === 0 ? null : { message_id: 'm', sequence: covered + 1, covers_through_sequence: covered },
});
const rangeOf = (state: SessionState, text: string, excess: number | null) => {
  const range = passRange(state, rows(text), excess);
  return range && [range.from, range.through, range.keeps, range.count];
};

describe('rules S23, S48: what a pass covers', () => {
  it('is found in time of the number of calls, among rows of 2,000 calls each too', async () => {
    const growth = await timeGrowth(70, (size) => {
      const ids = (row: number) => Array.from({ length: size }, (_none, index) => `toolu_${row}_${index}`);
      const called = Array.from({ length: 100 }, (_none, row): SeenRow => ({
        ...base,
        sequence: row + 1,
        calls: ids(row),
        answers: true,
      }));
      const seen = [...called, { ...base, sequence: 101, results: ids(-1) }, { ...base, sequence: 102 }];
      return () => expect(passRange(session([2, 4]), seen, 5_000)).toMatchObject({ from: 1 });
    });
    expect(growth).toBeLessThan(linearGrowthMax);
  });

  it.each<[string, SessionState, string, number | null, unknown]>([
    ['nothing without a second final turn, for a pass that was asked for', session([2]), 'u a', null, null],
    ['the final turns but the newest', session([2, 4]), 'u a u a', null, [1, 2, [], 2]],
    ['no further when that is enough', session([2, 6]), 'u a u a u a t:u', 19, [1, 2, [], 2]],
    [
      'further when it is not: all but the newest exchange and the open input',
      session([2, 6], { t: open(7) }),
      'u a u a u a t:u',
      20,
      [1, 4, [], 4],
    ],
    [
      'rows of the open turn, but its input and the newest result with its call',
      session([], { t: open(1) }),
      't:u t:c1 t:r1 t:c2 t:r2',
      0,
      [1, 3, [1], 2],
    ],
    [
      'a nudge stays with the results that it came with',
      session([], { t: open(1) }),
      't:u t:c1 t:r1 t:c2 t:r2 t:u',
      0,
      [1, 3, [1], 2],
    ],
    [
      'an answer with what it answers, results among that',
      session([4], { t: open(5) }),
      'u c1 r1 a t:u',
      0,
      [1, 1, [], 1],
    ],
    [
      'a call that waits stays, and its turn goes on',
      session([4, 6], { w: open(1, '1') }),
      'w:u w:c1 u a u a',
      null,
      [1, 4, [1, 2], 2],
    ],
    ['a call stays whose result comes later', session([3, 4]), 'c1 u a u a r1 u a', null, [1, 3, [1], 2]],
    ['imported rows alone: all but the newest', session([]), 'u u u', 0, [1, 2, [], 2]],
    ['what an earlier pass left is covered in the end', session([3, 5], {}, 2), 'u c1 r1 u a', null, [3, 3, [], 3]],
    ['nothing when only context is there', session([1, 3]), 'x u a', null, null],
    ['nothing when one exchange is all there is', session([], { t: open(1) }), 't:u t:c1 t:r1', 0, null],
  ])('%s', (_name, state, text, excess, expected) => {
    expect(rangeOf(state, text, excess)).toEqual(expected);
  });
});
