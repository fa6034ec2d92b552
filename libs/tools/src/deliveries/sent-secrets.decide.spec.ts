import { secretsToFilter, sentBytesMax, sentSecretsOf } from './sent-secrets.decide.js';

describe('what a result that comes later is filtered by (rules TE22, TE81)', () => {
  it('is what the call was sent with, and what the account has now', () => {
    const sent = sentSecretsOf(['before']);
    expect(secretsToFilter(sent, ['after'])).toEqual(['before', 'after']);
    expect(secretsToFilter(sent, ['before'])).toEqual(['before']);
    expect(secretsToFilter(sent, [])).toEqual(['before']);
    expect(secretsToFilter(null, ['after'])).toEqual(['after']);
  });

  it('is nothing any more where it was too much to be kept, and the account has another secret', () => {
    const large = ['x'.repeat(sentBytesMax)];
    const sent = sentSecretsOf(large);
    expect(sent).not.toHaveProperty('values');
    expect(secretsToFilter(sent, large)).toEqual(large);
    expect(secretsToFilter(sent, ['after'])).toBeNull();
    expect(secretsToFilter(sent, [])).toBeNull();
  });
});
