import { ManualClock } from '@aos/kernel/testing';
import { LocalRateLimiter, UnknownKeys } from './rate-limit.js';

const one = { orgId: 'org_1', principalId: 'prn_1', apiKeyId: 'cred_1' };

function start(keyPerMinute: number, orgPerMinute = 0) {
  const clock = new ManualClock();
  return { clock, limiter: new LocalRateLimiter({ keyPerMinute, orgPerMinute }, clock) };
}

describe('costs of requests', () => {
  it('rule L1: a request that counts more than once takes as much, and the limit holds over time', async () => {
    const { limiter, clock } = start(60);
    expect(await limiter.take(one, 50)).toMatchObject({ isAllowed: true, remaining: 10 });
    expect(await limiter.take(one, 30)).toMatchObject({ isAllowed: true, remaining: 0 });
    expect(await limiter.take(one)).toMatchObject({ isAllowed: false, retryAfterSeconds: 21 });
    clock.advance(21_000);
    expect(await limiter.take(one)).toMatchObject({ isAllowed: true });
  });

  it('rule L1: what a request turned out to cost is met by the next one, of the key and of its organization', async () => {
    const { limiter } = start(60, 100);
    await limiter.take(one);
    await limiter.charge(one, 59);
    expect(await limiter.take(one)).toMatchObject({ isAllowed: false, scope: 'key' });
    const sibling = { ...one, apiKeyId: 'cred_2' };
    expect(await limiter.take(sibling)).toMatchObject({ isAllowed: true, scope: 'org', remaining: 39 });
    await limiter.charge({ orgId: one.orgId }, 40);
    expect(await limiter.take(sibling)).toMatchObject({ isAllowed: false, scope: 'org' });
    expect(await limiter.take({ ...one, orgId: 'org_2' })).toMatchObject({ isAllowed: true });
  });

  it('a cost above the limit delays the next request by two minutes at most', async () => {
    const { limiter, clock } = start(10);
    expect(await limiter.take(one, 1_000)).toMatchObject({ isAllowed: true });
    clock.advance(60_000);
    expect(await limiter.take(one)).toMatchObject({ isAllowed: false });
    clock.advance(6_000);
    expect(await limiter.take(one)).toMatchObject({ isAllowed: true });
  });
});

describe('unknown keys', () => {
  it('control S2: an IPv6 network of 64 bits counts as one address, an IPv4 address in IPv6 form as itself', () => {
    const keys = new UnknownKeys(new ManualClock());
    for (let count = 0; count < 60; count += 1) keys.count(`2001:db8:1:2:${count.toString(16)}::1`);
    expect(() => {
      keys.count('2001:db8:1:2:ffff::9');
    }).toThrow('too many unknown credentials');
    keys.count('2001:db8:1:3::1');
    for (let count = 0; count < 60; count += 1) keys.count('203.0.113.9');
    expect(() => {
      keys.count('::ffff:203.0.113.9');
    }).toThrow('too many unknown credentials');
    keys.count('::ffff:203.0.113.10');
    keys.count(null);
  });

  it('TE131: admits an address that was wrong less than 60 times in a minute, and no other after that', () => {
    const clock = new ManualClock();
    const paths = new UnknownKeys(clock);
    for (let n = 0; n < 60; n += 1) {
      paths.admit('1.2.3.4');
      paths.note('1.2.3.4');
    }
    expect(() => {
      paths.admit('1.2.3.4');
    }).toThrow(expect.objectContaining({ code: 'rate_limit_exceeded' }));
    paths.admit('1.2.3.5');
    clock.advance(2_000);
    paths.admit('1.2.3.4');
  });
});
