import { hasPart, metadataEntries } from './finding.decide.js';

describe('rule S49: what a session is found by', () => {
  it('is each plain member of its metadata, up to the 64th, of at most 512 characters', () => {
    expect(metadataEntries(null)).toEqual([]);
    expect(
      metadataEntries({ team: 'red', 'a:b': '', n: 5, on: true, none: null, deep: { team: 'red' }, list: ['red'] }),
    ).toEqual(['team:red', 'a:b:', 'n:5', 'on:true']);
    expect(metadataEntries({ k: 'x'.repeat(510), long: 'x'.repeat(508), last: '1' })).toEqual([
      `k:${'x'.repeat(510)}`,
      'last:1',
    ]);
    const many = Object.fromEntries(Array.from({ length: 70 }, (_, n) => [`k${n}`, n]));
    expect(metadataEntries({ deep: {}, ...many })).toEqual(
      Object.keys(many)
        .slice(0, 64)
        .map((key) => `${key}:${many[key]}`),
    );
  });

  it.each([
    ['order', 'A large ORDER', true],
    ['STRASSE', 'Hauptstraße 5', true],
    ['straße', 'STRASSE', true],
    ['ΟΔΟΣ', 'οδος', true],
    ['cafe\u0301', 'CAF\u00c9', true],
    ['.*', 'anything', false],
    ['large  order', 'a large order', false],
  ])('%s in "%s": %s', (part, text, has) => {
    expect(hasPart([null, text], part)).toBe(has);
    expect(hasPart([null], part)).toBe(false);
  });
});
