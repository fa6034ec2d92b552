import { SpecEngine } from './spec-engine.js';

const control = 'http://127.0.0.1:1';
const address = 'redis://127.0.0.1:6379';

describe('an engine that was given is used, and never stopped', () => {
  it('what stops an engine is a test on the own one', () => {
    const own = new SpecEngine('redis', 'SVC_REDIS_URL', { SVC_REDIS_URL: address, SVC_ENGINES_OWN: 'kafka,redis' });
    expect(own.testIfOwn).toBe(test);
    expect(own.address).toBe(address);
  });

  it('what stops an engine is skipped on a given one, and is refused there', async () => {
    const given = new SpecEngine('redis', 'SVC_REDIS_URL', {
      SVC_REDIS_URL: address,
      SVC_ENGINES_OWN: 'kafka',
      SVC_ENGINES_CONTROL: control,
    });
    expect(given.testIfOwn).toBe(test.skip);
    expect(given.address).toBe(address);
    await expect(given.control('kill')).rejects.toThrow('redis was not started by this run');
  });

  it('without an address nothing is skipped: the suite fails', () => {
    const missing = new SpecEngine('redis', 'SVC_REDIS_URL', {});
    expect(missing.testIfOwn).toBe(test);
    expect(() => missing.address).toThrow('SVC_REDIS_URL is not set');
  });
});
