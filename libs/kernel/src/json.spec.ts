import fc from 'fast-check';
import { canonicalJson, decodeState, encodeState, inMemberOrder, outsideJson, type Json } from './json.js';

describe('canonical JSON', () => {
  it('gives the same text for the same value, at any depth', () => {
    expect(canonicalJson({ b: [{ d: 1, c: null }], a: 'x', Z: true })).toBe(
      '{"Z":true,"a":"x","b":[{"c":null,"d":1}]}',
    );
    expect(canonicalJson({ a: { y: 1, x: 2 } })).toBe(canonicalJson({ a: { x: 2, y: 1 } }));
  });

  it('keeps the order of lists, leaves absent members out, and changes nothing in what it is given', () => {
    const given = { b: [2, 1], a: undefined };
    expect(canonicalJson(given)).toBe('{"b":[2,1]}');
    expect(Object.keys(given)).toEqual(['b', 'a']);
  });

  it('has members in code-unit order, few and many', () => {
    const members = fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 4 }), { maxLength: 80 });
    fc.assert(
      fc.property(members, (names) => {
        const given = new Map(
          names.filter((name) => !/^\d+$/.test(name) && name !== '__proto__').map((name) => [name, 1]),
        );
        expect(Object.keys(inMemberOrder(Object.fromEntries(given)))).toEqual([...given.keys()].sort());
      }),
    );
  });
});

describe('folded states as text', () => {
  const back = (state: unknown) => decodeState<unknown>(encodeState(state));

  it("keeps maps and sets, and a caller's members that look like them", () => {
    for (const data of [
      { $map: [[1, 2]] },
      { $map: [1] },
      { $set: [1], more: 2 },
      { $object: [['a', 1]] },
      { $map: 1 },
    ])
      for (const state of [data, { row: [data] }, new Map([['a', { deep: data }]])]) expect(back(state)).toEqual(state);
    expect(back(new Set([new Map([[1, new Set([2])]])]))).toEqual(new Set([new Map([[1, new Set([2])]])]));
  });

  it('gives every JSON value back', () => {
    const member = fc.oneof(fc.constantFrom('$map', '$set', '$object', 'a'), fc.string());
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.array(fc.tuple(member, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
      ),
    }));
    fc.assert(
      fc.property(value, (given) => {
        expect(back(given)).toEqual(given);
      }),
    );
  });
});

describe('JSON from outside', () => {
  it('is not built where it is nested too deep', () => {
    const parse = jest.spyOn(JSON, 'parse');
    expect(outsideJson('['.repeat(65) + ']'.repeat(65))).toBeUndefined();
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
    expect(outsideJson('['.repeat(64) + ']'.repeat(64))).toBeDefined();
  });

  it('is no value where it names a part of a prototype or a number beyond every double, at any depth', () => {
    for (const inner of ['1e309', '-1e400', '1'.repeat(310), '{"__proto__":1}', '{"constructor":{"prototype":{}}}'])
      for (const text of [inner, `[${inner}]`, `{"a":{"b":${inner}}}`]) expect(outsideJson(text)).toBeUndefined();
    for (const text of ['1e308', '-1e-400', '"1e400"', '"__proto__"', '{"constructor":"x"}', '{"prototype":1}'])
      expect(outsideJson(text)).toEqual(JSON.parse(text));
  });
});
