import { derivedId } from './ids.js';

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
