import fc from 'fast-check';
import { base32Number, derivedId, parseBase32Number } from './ids.js';

describe('derived ids (rule TP15)', () => {
  it.each([
    ['ses', 'salt-1', ['agent_1', 'ключ', '0'], 'ses_vv2t3qja05netanj287bfvk4s3'],
    ['mem', '', [], 'mem_dkpdv7yqge0f862m4ph1djaktj'],
    ['row', 's'.repeat(100), ['a', 'b:c;'], 'row_7tz1tbkmh6rmy4ks1jghyca1t1'],
  ] as const)('stay what stored streams are named by: %s', (prefix, salt, parts, id) => {
    expect([derivedId(prefix, salt, parts), derivedId(prefix, salt, parts)]).toEqual([id, id]);
  });

  it('no two lists of parts meet', () => {
    expect(derivedId('ses', 'salt', ['a', 'bc'])).not.toBe(derivedId('ses', 'salt', ['ab', 'c']));
  });
});

describe('numbers in base 32', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.nat(32 ** 6 - 1), (value) => {
        expect(parseBase32Number(base32Number(value, 6))).toBe(value);
      }),
    );
  });

  it.each(['i', '0l', 'A', '-1', ' ', 'ü', '€', '\u0000'])('are not read from other text: %j', (text) => {
    expect(parseBase32Number(text)).toBeNull();
  });
});
