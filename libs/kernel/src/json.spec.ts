import fc from 'fast-check';
import { canonicalJson, inMemberOrder } from './json.js';

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
