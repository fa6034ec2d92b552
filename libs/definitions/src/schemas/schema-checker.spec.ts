import { Refusal } from '@aos/kernel';
import { SchemaChecker } from './schema-checker.js';
import { schemaIssues } from './schema.limits.js';

describe('schemas of callers', () => {
  const checker = new SchemaChecker();
  afterAll(() => checker.onApplicationShutdown());

  it('compile when they are safe, and hold values to themselves', async () => {
    const schema = { type: 'object', properties: { to: { type: 'string', pattern: '^(a+)+$' }, at: { type: 'string', format: 'date-time' } }, required: ['to'] };
    await checker.require(schema, '/input_schema');
    expect(await checker.fault(schema, { to: 'aaa' })).toBeNull();
    expect(await checker.fault(schema, { to: `${'a'.repeat(40_000)}!` })).toMatchObject({ path: '/to' });
    expect(await checker.fault(schema, {})).toMatchObject({ path: '' });
    expect(await checker.fault({ properties: { a: { pattern: '^x' }, b: { pattern: '^y' } } }, { a: 'x', b: 'x' })).toMatchObject({ path: '/b' });
    expect(await checker.fault(schema, { to: 'a', at: 'now' })).toMatchObject({ path: '/at' });
  });

  it.each([[{ type: 'nothing' }], [{ pattern: '(?=x)' }], [{ pattern: '(a)\\1' }], [{ $ref: '#/nowhere' }]])('%j is refused with its place', async (schema) => {
    await expect(checker.require(schema, '/input_schema')).rejects.toMatchObject({ code: 'bad_request', details: { issues: [{ path: '/input_schema' }] } });
  });

  it('have bounds before anybody compiles them', () => {
    let deep: Record<string, never> | { a: object } = {};
    for (let level = 0; level < 40; level += 1) deep = { a: deep };
    expect(schemaIssues(deep as never, '/s')).toHaveLength(1);
    expect(schemaIssues({ a: 'x'.repeat(70_000) }, '/s')).toEqual([{ path: '/s', message: expect.stringContaining('bytes') as string }]);
    expect(schemaIssues({ items: { $ref: 'other.json' } }, '/s')).toEqual([{ path: '/s/items/$ref', message: expect.any(String) as string }]);
    expect(schemaIssues({ items: { $ref: '#/a' }, a: {} }, '/s')).toEqual([]);
  });

  it('that are too much work end by themselves, and the next one is served', async () => {
    const branch = { anyOf: Array.from({ length: 4 }, () => ({ items: { $ref: '#/$defs/t' } })) };
    const costly = { $defs: { t: { allOf: [branch, { not: { const: 1 } }] } }, $ref: '#/$defs/t' };
    let value: unknown = 1;
    for (let level = 0; level < 40; level += 1) value = [value];
    const fault = await checker.fault(costly, value);
    expect(fault?.message).toContain('too long');
    expect(await checker.fault({ type: 'string' }, 'x')).toBeNull();
    expect(await checker.require({ type: 'string' }, '').catch((error: unknown) => error instanceof Refusal)).toBeUndefined();
  });
});
