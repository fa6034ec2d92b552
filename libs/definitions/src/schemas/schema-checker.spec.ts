import { Refusal } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { RateCharges, RateLimiter, type RateHolder } from '@aos/platform';
import { SchemaChecker } from './schema-checker.js';
import { schemaIssues } from './schema-issues.decide.js';
import { checkCost, waitingPerOrganizationMax } from './schema.limits.js';

const one = { orgId: 'org_1', principalId: 'prn_1', apiKeyId: 'cred_1' };
const other = { orgId: 'org_2', principalId: 'prn_2', apiKeyId: 'cred_2' };

/** Schemas that no budget is enough for; a number makes each one different. */
function costlySchema(number: number) {
  const branch = { anyOf: Array.from({ length: 4 }, () => ({ items: { $ref: '#/$defs/t' } })) };
  return { title: `costly ${number}`, $defs: { t: { allOf: [branch, { not: { const: 1 } }] } }, $ref: '#/$defs/t' };
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

class CountingLimiter extends RateLimiter {
  readonly charged: (RateHolder & { cost: number })[] = [];

  override take() {
    return Promise.resolve(null);
  }

  override charge(holder: RateHolder, cost: number) {
    this.charged.push({ ...holder, cost });
    return Promise.resolve();
  }
}

function start() {
  const limiter = new CountingLimiter();
  const charges = new RateCharges((error) => {
    throw error;
  });
  charges.through(limiter);
  const clock = new ManualClock();
  return { checker: new SchemaChecker(charges, clock), limiter, clock };
}

describe('schemas of callers', () => {
  const { checker, limiter, clock } = start();
  afterAll(() => checker.onApplicationShutdown());

  it('compile when they are safe, and hold values to themselves', async () => {
    const schema = {
      type: 'object',
      properties: { to: { type: 'string', pattern: '^(a+)+$' }, at: { type: 'string', format: 'date-time' } },
      required: ['to'],
    };
    await checker.require(schema, '/input_schema', one);
    expect(await checker.fault(schema, { to: 'aaa' }, one)).toBeNull();
    expect(await checker.fault(schema, { to: `${'a'.repeat(40_000)}!` }, one)).toMatchObject({ path: '/to' });
    expect(await checker.fault(schema, {}, one)).toMatchObject({ path: '' });
    expect(
      await checker.fault({ properties: { a: { pattern: '^x' }, b: { pattern: '^y' } } }, { a: 'x', b: 'x' }, one),
    ).toMatchObject({ path: '/b' });
    expect(await checker.fault(schema, { to: 'a', at: 'now' }, one)).toMatchObject({ path: '/at' });
  });

  it('judge the members of a value, not what every object inherits', async () => {
    const optional = { type: 'object', properties: { constructor: { type: 'string' }, valueOf: { type: 'number' } } };
    expect(await checker.fault(optional, {}, one)).toBeNull();
    expect(await checker.fault(optional, { constructor: 1 }, one)).toMatchObject({ path: '/constructor' });
    const required = { type: 'object', required: ['toString'] };
    expect(await checker.fault(required, {}, one)).toMatchObject({ path: '' });
    expect(await checker.fault(required, { toString: 'x' }, one)).toBeNull();
    const dependent = { type: 'object', dependentRequired: { constructor: ['year'] } };
    expect(await checker.fault(dependent, { team: 'x' }, one)).toBeNull();
  });

  it.each([[{ type: 'nothing' }], [{ pattern: '(?=x)' }], [{ pattern: '(a)\\1' }], [{ $ref: '#/nowhere' }]])(
    '%j is refused with its place',
    async (schema) => {
      await expect(checker.require(schema, '/input_schema', one)).rejects.toMatchObject({
        code: 'bad_request',
        details: { issues: [{ path: '/input_schema' }] },
      });
    },
  );

  it('have bounds before anybody compiles them', () => {
    let deep: Record<string, never> | { a: object } = {};
    for (let level = 0; level < 40; level += 1) deep = { a: deep };
    expect(schemaIssues(deep as never, '/s')).toHaveLength(1);
    expect(schemaIssues({ a: 'x'.repeat(70_000) }, '/s')).toEqual([
      { path: '/s', message: expect.stringContaining('bytes') as string },
    ]);
    expect(schemaIssues({ items: { $ref: 'other.json' } }, '/s')).toEqual([
      { path: '/s/items/$ref', message: expect.any(String) as string },
    ]);
    expect(schemaIssues({ items: { $ref: '#/a' }, a: {} }, '/s')).toEqual([]);
    expect(schemaIssues({ items: { $ref: '#' }, properties: { a: { $ref: '#/nowhere' } } }, '/s')).toEqual([]);
    const back = (path: string) => [{ path, message: 'leads back to itself alone' }];
    const chain = (last: string) => ({
      a: { $ref: '#/$defs/b%20~1c' },
      'b /c': { $ref: `#/$defs/${last}`, title: 'B' },
    });
    expect(schemaIssues({ $ref: '#/$defs/a', $defs: chain('a') }, '/s')).toEqual(back('/s/$ref'));
    expect(schemaIssues({ properties: { p: { $ref: '#/$defs/a' } }, $defs: chain('a') }, '/s')).toEqual(
      back('/s/properties/p/$ref'),
    );
    expect(
      schemaIssues({ $ref: '#/$defs/a', $defs: { ...chain('d'), d: { $ref: '#', type: 'object' } } }, '/s'),
    ).toEqual([]);
  });

  it('control S25: $async is refused at every level, and is a name like any other among properties', async () => {
    const issue = (path: string) => [{ path, message: expect.any(String) as string }];
    expect(schemaIssues({ $async: true }, '/s')).toEqual(issue('/s/$async'));
    expect(schemaIssues({ properties: { a: { $async: true } } }, '/s')).toEqual(issue('/s/properties/a/$async'));
    expect(schemaIssues({ $defs: { $async: { $async: false } } }, '/s')).toEqual(issue('/s/$defs/$async/$async'));
    expect(schemaIssues({ properties: { $async: true, properties: { $async: {} } } }, '/s')).toEqual(
      issue('/s/properties/properties/$async'),
    );
    expect(schemaIssues({ properties: { $async: { type: 'string' } } }, '/s')).toEqual([]);
    await expect(checker.require({ $async: true, type: 'object' }, '/input_schema', one)).rejects.toMatchObject({
      code: 'bad_request',
    });
  });

  it('control S25: a stored $async schema does not compile, and is not the answer to the next question', async () => {
    const stored = { $async: true, type: 'object' };
    expect(await checker.fault(stored, { a: 1 }, one)).toMatchObject({
      message: expect.stringContaining('$async') as string,
    });
    expect(await checker.fault(stored, 'text', one)).not.toBeNull();
    expect(await checker.fault({ type: 'string' }, 'x', other)).toBeNull();
  });

  it('that are too much work end by themselves, and the next one is served', async () => {
    const fault = await checker.fault(costlySchema(0), nested(40), one);
    expect(fault?.message).toContain('too long');
    expect(await checker.fault({ type: 'string' }, 'x', one)).toBeNull();
    expect(
      await checker.require({ type: 'string' }, '', one).catch((error: unknown) => error instanceof Refusal),
    ).toBeUndefined();
  });

  it('rule L1: a check counts once more for each started 100 ms beyond the first', async () => {
    expect([0, 99.9, 100, 100.1, 200, 201, 250].map(checkCost)).toEqual([0, 0, 0, 1, 1, 2, 2]);
    limiter.charged.length = 0;
    expect(await checker.fault({ type: 'string' }, 'x', other)).toBeNull();
    expect(limiter.charged).toEqual([]);
    await checker.fault(costlySchema(1), nested(40), other);
    expect(limiter.charged).toEqual([{ ...other, cost: 2 }]);
  });

  it('control S25: one that was too slow is refused at once for a while, in its organization only', async () => {
    await checker.fault(costlySchema(2), nested(40), one);
    limiter.charged.length = 0;
    expect((await checker.fault(costlySchema(2), nested(1), one))?.message).toContain('too long');
    expect(limiter.charged).toEqual([]);
    expect(await checker.fault(costlySchema(2), [0], other)).toBeNull();
    clock.advance(60_000);
    expect(await checker.fault(costlySchema(2), [0], one)).toBeNull();
  });
});

describe('checks of two organizations under load', () => {
  it('control S25: slow schemas of one hold up neither the other for more than one check, nor the own schemas of the service at all', async () => {
    const { checker } = start();
    let isDone = 0;
    const slow = Array.from({ length: 6 }, (_, number) =>
      checker.fault(costlySchema(number), nested(40), one).finally(() => {
        isDone += 1;
      }),
    );
    expect(await checker.ownFault({ type: 'string' }, 'x', one)).toBeNull();
    const before = isDone;
    expect(await checker.fault({ type: 'string' }, 'x', other)).toBeNull();
    expect(isDone - before).toBeLessThanOrEqual(2);
    for (const fault of await Promise.all(slow)) expect(fault?.message).toContain('too long');
    await checker.onApplicationShutdown();
  });

  it('control S25: what waits of one organization is bounded, and leaves room for the other', async () => {
    const { checker } = start();
    const asked = Array.from({ length: waitingPerOrganizationMax + 2 }, () =>
      checker.fault({ type: 'string' }, 'x', one).then(
        () => true,
        () => false,
      ),
    );
    expect(await checker.fault({ type: 'string' }, 'x', other)).toBeNull();
    const answers = await Promise.all(asked);
    expect(answers.filter((isAnswered) => !isAnswered)).toHaveLength(1); // one of them is being checked
    await checker.onApplicationShutdown();
  });
});
