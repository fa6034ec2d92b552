import { goldenOf } from '@aos/kernel/testing';
import { secretKind } from './secret.state.js';
import { eraseSecret, storeSecret } from './storing.decide.js';

const golden = goldenOf(__dirname, secretKind);

describe('recorded events of secrets', () => {
  it('are all kept, at every version', () => {
    expect(golden.missing).toEqual([]);
  });

  it('say all there is, so that the last one alone is the state (rule TE20)', () => {
    expect(golden.after('SecretStored')).toMatchObject({ version: 2, erased: false, stored: { org_id: 'org_1' } });
    expect(golden.after('SecretErased')).toEqual({ stored: null, version: 3, erased: true });
  });
});

describe('storing a secret', () => {
  const seal = (version: number) => ({ secret: `sealed for ${version}` });

  it('seals it for the version that it gets', () => {
    expect(storeSecret({ orgId: 'org_1', seal }, golden.after('SecretStored'))).toEqual([
      { type: 'SecretStored', data: { org_id: 'org_1', version: 3, values: { secret: 'sealed for 3' } } },
    ]);
  });

  it('ends with its erasure', () => {
    const erased = golden.after('SecretErased');
    expect(() => storeSecret({ orgId: 'org_1', seal }, erased)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(eraseSecret({ orgId: 'org_1' }, erased)).toEqual([]);
  });
});
