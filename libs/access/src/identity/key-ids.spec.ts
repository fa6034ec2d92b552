import { apiKeyId } from '@aos/platform';
import { KeyIds } from './api-key-identity-source.js';

const [first, second] = ['a', 'b'].map((letter) => `svck_${letter.repeat(40)}`) as [string, string];

describe('the id of a request’s key (rule TP15)', () => {
  it('follows from the header alone, whatever the connection brought before', () => {
    const ids = new KeyIds();
    const connection = {};
    for (const key of [first, first, second, first])
      expect([ids.of(`Bearer ${key}`, connection), ids.of(`bearer  ${key}`)]).toEqual([apiKeyId(key), apiKeyId(key)]);
  });

  it('is none for a header without a key, also after one with a key', () => {
    const ids = new KeyIds();
    const connection = {};
    ids.of(`Bearer ${first}`, connection);
    expect([ids.of(undefined, connection), ids.of('Basic x', connection), ids.of('Bearer short')]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
