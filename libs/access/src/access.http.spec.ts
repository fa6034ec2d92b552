import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { startApp, type RunningApp } from '@aos/platform';
import { AccessModule, Organizations } from './index.js';
import { assignmentRows } from './principal/assignments.projection.js';
import { MemoryWorld } from './testing/memory-world.js';

const clock = new ManualClock(Date.UTC(2026, 5, 1));
const world = new MemoryWorld(clock);
let app: RunningApp;
let owner = '';
let orgId = '';

interface Answer {
  status: number;
  body: Record<string, unknown> & {
    error?: { code: string; details?: Record<string, unknown> };
    items?: Record<string, unknown>[];
  };
}

async function call(method: string, path: string, body?: unknown, key = owner): Promise<Answer> {
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text ? JSON.parse(text) : {}) as Answer['body'] };
}

const post = async (path: string, body: unknown, key?: string) => {
  const { status, body: made } = await call('POST', path, body, key);
  expect({ status, made }).toMatchObject({ status: 201 });
  return made as Record<string, string> & { permissions: string[] };
};
const roleId = async (name: string) =>
  (await call('GET', '/v1/roles')).body.items?.find((role) => role.name === name)?.id as string;
const expectRefused = (answer: Answer, status: number, code: string, details: Record<string, unknown> = {}) => {
  expect({
    status: answer.status,
    code: answer.body.error?.code,
    details: answer.body.error?.details ?? {},
  }).toMatchObject({ status, code, details });
};

beforeAll(async () => {
  app = await startApp('access-service', [world.module({ withClock: false }), AccessModule], {
    clock,
    graceMs: 200,
    env: {
      SVC_PORT: '0',
      SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'svc-')),
      SVC_RATE_LIMIT_KEY_RPM: '0',
      SVC_RATE_LIMIT_ORG_RPM: '0',
      SVC_LOG_LEVEL: 'error',
    },
  });
  const organizations = app.nest.get(Organizations, { strict: false });
  orgId = await organizations.ensureFirst({}, (made) => {
    owner = made.ownerKey;
  });
});

afterAll(() => app?.stop());

describe('the first organization', () => {
  it('has a key of the issued form that opens everything', async () => {
    expect(owner).toMatch(/^svck_[0-9A-Za-z]{40}$/);
    expect((await call('GET', '/v1/api-keys')).status).toBe(200);
  });

  it('is made once', async () => {
    const shown: unknown[] = [];
    expect(
      await app.nest.get(Organizations, { strict: false }).ensureFirst({ name: 'other' }, (made) => shown.push(made)),
    ).toBe(orgId);
    expect(shown).toEqual([]);
  });

  it('answers 401 to everybody else, in the same words', async () => {
    const answers = [
      await call('GET', '/v1/roles', undefined, `svck_${'x'.repeat(40)}`),
      await call('GET', '/v1/roles', undefined, 'short'),
      await call('GET', '/v1/roles', undefined, ''),
    ];
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expectRefused(answers[0] as Answer, 401, 'unauthorized');
  });
});

describe('roles', () => {
  it('lists the built-in ones first and pages on through custom ones', async () => {
    const made = await post('/v1/roles', {
      name: 'Support',
      description: 'd',
      permissions: ['svc.resource.use', 'actions.execute.slack.*'],
    });
    const names: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = (await call('GET', `/v1/roles?limit=2${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`))
        .body as { items: { name: string }[]; next_cursor?: string };
      names.push(...page.items.map(({ name }) => name));
      cursor = page.next_cursor;
    } while (cursor);
    expect(names).toEqual(['Owner', 'Admin', 'User', 'Viewer', 'Worker', 'Agent', 'Support']);
    expect((await call('GET', `/v1/roles/${made.id}`)).body).toEqual(made);
  });

  it('refuses what it must', async () => {
    expectRefused(
      await call('POST', '/v1/roles', { name: 'x', permissions: ['svc.nope'] }),
      400,
      'unknown_permission',
      { permission: 'svc.nope' },
    );
    expectRefused(await call('POST', '/v1/roles', { name: 'Owner', permissions: [] }), 409, 'already_exists');
    expectRefused(await call('POST', '/v1/roles', { name: 'Support', permissions: [] }), 409, 'already_exists');
    expectRefused(
      await call('PATCH', `/v1/roles/${await roleId('Viewer')}`, { permissions: [] }),
      403,
      'system_role_immutable',
    );
    expectRefused(await call('DELETE', `/v1/roles/${await roleId('Owner')}`), 403, 'system_role_immutable');
    expectRefused(await call('GET', '/v1/roles/role_00000000000000000000000000'), 404, 'not_found');
    expectRefused(await call('GET', '/v1/roles?cursor=abc'), 400, 'invalid_cursor');
  });

  it('ends its assignments when it is deleted, and frees its name', async () => {
    const role = await post('/v1/roles', { name: 'Shortlived', permissions: ['svc.resource.view'] });
    const principal = await post('/v1/principals', { name: 'holder', role_ids: [role.id] });
    expect((await call('GET', `/v1/role-assignments?role_id=${role.id}`)).body.items).toHaveLength(1);
    expect((await call('DELETE', `/v1/roles/${role.id}`)).status).toBe(204);
    expect((await call('GET', `/v1/role-assignments?role_id=${role.id}`)).body.items).toEqual([]);
    expect((await call('GET', `/v1/principals/${principal.id}`)).body.role_ids).toEqual([]);
    expectRefused(await call('GET', `/v1/roles/${role.id}`), 404, 'not_found');
    await post('/v1/roles', { name: 'Shortlived', permissions: [] });
  });
});

describe('keys', () => {
  it('stop to open anything with the next request after their revocation', async () => {
    const made = await post('/v1/api-keys', { name: 'ci' });
    expect(made.org_role).toBe('Admin');
    expect((await call('GET', '/v1/roles', undefined, made.key)).status).toBe(200);
    expect((await call('DELETE', `/v1/api-keys/${made.id}`)).status).toBe(204);
    expectRefused(await call('GET', '/v1/roles', undefined, made.key), 401, 'unauthorized');
    expectRefused(await call('GET', `/v1/api-keys/${made.id}`), 404, 'not_found');
    await post('/v1/api-keys', { name: 'ci' });
  });

  it('stop at their expiry, and take none in the past', async () => {
    expectRefused(
      await call('POST', '/v1/api-keys', { name: 'late', expires_at: '2020-01-01T00:00:00Z' }),
      400,
      'invalid_argument',
      { argument: 'expires_at' },
    );
    const made = await post('/v1/api-keys', { name: 'late', expires_at: '2026-06-01T00:01:00Z' });
    expect((await call('GET', '/v1/roles', undefined, made.key)).status).toBe(200);
    clock.advance(60_000);
    expectRefused(await call('GET', '/v1/roles', undefined, made.key), 401, 'unauthorized');
  });

  it('of a principal do what its roles and the scope both allow', async () => {
    const principal = await post('/v1/principals', { name: 'scoped' });
    expectRefused(
      await call('POST', '/v1/api-keys', { name: 's', principal_id: principal.id }),
      409,
      'principal_has_no_roles',
    );
    await post('/v1/role-assignments', { principal_id: principal.id, role_name: 'Admin' });
    const scoped = await post('/v1/api-keys', {
      name: 's',
      principal_id: principal.id,
      scope_role_id: await roleId('Viewer'),
    });
    expect((await call('GET', '/v1/roles', undefined, scoped.key)).status).toBe(200);
    expectRefused(
      await call('POST', '/v1/roles', { name: 'no', permissions: [] }, scoped.key),
      403,
      'permission_denied',
      { permission: 'svc.org.admin' },
    );
    expectRefused(await call('DELETE', `/v1/principals/${principal.id}`), 409, 'principal_in_use');
    expect((await call('PATCH', `/v1/principals/${principal.id}`, { state: 'disabled' })).body.state).toBe('disabled');
    expectRefused(await call('GET', '/v1/roles', undefined, scoped.key), 401, 'unauthorized');
  });

  it('tell when they were last used', async () => {
    const key = (await call('GET', '/v1/api-keys')).body.items?.find(({ org_role }) => org_role === 'Owner');
    expect(key).toHaveProperty('last_used_at');
    expect((await call('GET', `/v1/api-keys/${String(key?.id)}`)).body).toHaveProperty('last_used_at');
  });

  it('cannot hand out what they lack', async () => {
    const admin = (await post('/v1/api-keys', { name: 'admin' })).key as string;
    const events = await world.store.end();
    expectRefused(
      await call('POST', '/v1/roles', { name: 'up', permissions: ['svc.billing.manage'] }, admin),
      403,
      'permission_denied',
      { permission: 'svc.billing.manage' },
    );
    expectRefused(await call('POST', '/v1/api-keys', { name: 'up', role: 'Owner' }, admin), 403, 'permission_denied');
    const id = (await call('GET', '/v1/principals?kind=service')).body.items?.[0]?.id;
    expectRefused(
      await call('POST', '/v1/role-assignments', { principal_id: id, role_name: 'Owner' }, admin),
      403,
      'permission_denied',
    );
    expect(await world.store.end()).toBe(events);
  });
});

describe('Owners', () => {
  it('never all go: assignment, switch and deletion of the last one are refused', async () => {
    const first = await post('/v1/principals', { name: 'Ada', kind: 'human', role_ids: [await roleId('Owner')] });
    const assigned = (await call('GET', `/v1/role-assignments?principal_id=${first.id}`)).body.items?.[0];
    expectRefused(await call('DELETE', `/v1/role-assignments/${String(assigned?.id)}`), 409, 'last_owner');
    expectRefused(await call('PATCH', `/v1/principals/${first.id}`, { state: 'disabled' }), 409, 'last_owner');
    expectRefused(await call('PATCH', `/v1/principals/${first.id}`, { role_ids: [] }), 409, 'last_owner');
    expectRefused(await call('DELETE', `/v1/principals/${first.id}`), 409, 'last_owner');
    const second = await post('/v1/principals', { name: 'Bob', kind: 'human' });
    const grant = await post('/v1/role-assignments', { principal_id: second.id, role_name: 'Owner' });
    expectRefused(
      await call('POST', '/v1/role-assignments', { principal_id: second.id, role_name: 'Owner' }),
      409,
      'already_exists',
      { resource_id: grant.id },
    );
    expect((await call('DELETE', `/v1/principals/${first.id}`)).status).toBe(204);
    expectRefused(await call('DELETE', `/v1/role-assignments/${grant.id}`), 409, 'last_owner');
  });
});

describe('principals', () => {
  it('are whole lists unless paged, with the organization first', async () => {
    const whole = (await call('GET', '/v1/principals')).body;
    expect(whole.has_more).toBe(false);
    expect(whole.items?.[0]).toMatchObject({ kind: 'system', state: 'active' });
    const paged = (await call('GET', '/v1/principals?limit=1')).body;
    expect(paged).toMatchObject({ has_more: true, items: [whole.items?.[0]] });
  });

  it('refuse bad references and tags', async () => {
    expectRefused(
      await call('POST', '/v1/principals', { name: 'a', owner_id: 'user_00000000000000000000000000' }),
      404,
      'not_found',
    );
    expectRefused(
      await call('POST', '/v1/principals', { name: 'a', role_ids: ['role_00000000000000000000000000'] }),
      404,
      'not_found',
    );
    expectRefused(await call('POST', '/v1/principals', { name: 'a', tags: { 'svc:x': '1' } }), 400, 'invalid_argument');
    expectRefused(await call('POST', '/v1/principals', { name: 'a', surprise: 1 }), 400, 'bad_request');
  });
});

describe('organization context', () => {
  it('is normalized and bounded in bytes', async () => {
    expect((await call('GET', '/v1/organization/context')).body).toEqual({ content: '', max_bytes: 16384 });
    expect((await call('PUT', '/v1/organization/context', { content: 'a\r\nb  \n' })).body).toMatchObject({
      content: 'a\nb',
      max_bytes: 16384,
    });
    expectRefused(await call('PUT', '/v1/organization/context', { content: 'ä'.repeat(8193) }), 400, 'bad_request');
  });
});

describe('the catalog', () => {
  it('names every base permission', async () => {
    const { items } = (await call('GET', '/v1/permissions')).body;
    expect(items?.map(({ id }) => id)).toContain('svc.org.admin');
  });
});

describe('a role that is deleted', () => {
  it('ends the assignments of all who have it', async () => {
    const role = await post('/v1/roles', { name: 'Widespread', permissions: ['svc.resource.view'] });
    const holders = 501;
    for (let made = 0; made < holders; made += 50) {
      const names = Array.from({ length: Math.min(50, holders - made) }, (_, index) => `holder-${made + index}`);
      await Promise.all(names.map((name) => post('/v1/principals', { name, role_ids: [role.id] })));
    }
    expect((await call('DELETE', `/v1/roles/${role.id}`)).status).toBe(204);
    const rows = { scope: [orgId], where: [{ index: 'role', eq: role.id ?? '' }] };
    expect(await assignmentRows.count(world.readStore, rows, holders)).toBe(0);
  });
});

describe('another organization', () => {
  it('sees nothing of this one', async () => {
    const other = await app.nest.get(Organizations, { strict: false }).create('Other');
    const made = await post('/v1/principals', { name: 'hidden' });
    expectRefused(await call('GET', `/v1/principals/${made.id}`, undefined, other.ownerKey), 404, 'not_found');
    expectRefused(await call('GET', `/v1/roles/${await roleId('Owner')}`, undefined, other.ownerKey), 404, 'not_found');
    expect((await call('GET', '/v1/principals', undefined, other.ownerKey)).body.items).toHaveLength(1);
  });
});

describe('the audit view', () => {
  it('tells who did what, newest first', async () => {
    const role = await post('/v1/roles', { name: 'Audited', permissions: ['svc.resource.view'] });
    await call('PATCH', `/v1/roles/${role.id}`, { permissions: ['svc.resource.use'] });
    await call('DELETE', `/v1/roles/${role.id}`);
    const entries =
      (await eventually('three entries', async () => {
        const { items } = (await call('GET', `/v1/audit?resource_id=${role.id}`)).body;
        return items?.length === 3 ? items : null;
      })) ?? [];
    expect(entries.map(({ action }) => action)).toEqual(['role.deleted', 'role.updated', 'role.created']);
    const [deleted, updated, created] = entries;
    expect(updated).toMatchObject({
      changed_fields: ['permissions'],
      before_hash: created?.after_hash,
      resource: { type: 'role', id: role.id, name: 'Audited' },
    });
    expect(deleted).toMatchObject({
      before_hash: updated?.after_hash,
      after_hash: null,
      actor: { principal_kind: 'system', ip: '127.0.0.1' },
    });
  });

  it('compares a record with that record alone, not with another one of its stream', async () => {
    const made = await post('/v1/principals', { name: 'compared' });
    const user = { principal_id: made.id, role_name: 'User' };
    const assignment = await post('/v1/role-assignments', user);
    await call('PATCH', `/v1/principals/${made.id}`, { description: 'one' });
    await call('PATCH', `/v1/principals/${made.id}`, { description: 'two' });
    const entriesOf = (id: unknown, length: number) =>
      eventually(`${length} entries`, async () => {
        const { items } = (await call('GET', `/v1/audit?resource_id=${String(id)}`)).body;
        return items?.length === length ? items : null;
      });
    const [second, first] = (await entriesOf(made.id, 3)) ?? [];
    const [assigned] = (await entriesOf(assignment.id, 1)) ?? [];
    expect(assigned).toMatchObject({ action: 'role_assignment.created', before_hash: null });
    expect(first).toMatchObject({ action: 'principal.updated', before_hash: null });
    expect(second).toMatchObject({ action: 'principal.updated', before_hash: first?.after_hash });
  });

  it('is filtered and paged', async () => {
    const count = async (query: string) => (await call('GET', `/v1/audit?limit=100&${query}`)).body.items?.length ?? 0;
    expect(await count('action=api_key.revoked')).toBe(1);
    expect(await count('action=api_key.*')).toBeGreaterThan(await count('action=api_key.created'));
    expect(await count('action=api_key.created&action=api_key.revoked')).toBe(await count('action=api_key.*'));
    expect(await count('since=2030-01-01T00:00:00Z')).toBe(0);
    const first = (await call('GET', '/v1/audit?limit=1')).body as { items: { id: string }[]; next_cursor: string };
    const second = (await call('GET', `/v1/audit?limit=1&cursor=${encodeURIComponent(first.next_cursor)}`)).body;
    expect(second.items?.[0]?.id).not.toBe(first.items[0]?.id);
    expectRefused(
      await call('GET', `/v1/audit?limit=1&action=x&cursor=${encodeURIComponent(first.next_cursor)}`),
      400,
      'invalid_cursor',
    );
  });
});
