import { quickest } from '@aos/kernel/testing';
import {
  type Agent,
  Client,
  type IssuedKey,
  type Page,
  callerWith,
  createAgent,
  createSession,
  eventually,
  issueKey,
  person,
  rawRequest,
  text,
  unique,
} from '../harness/index.js';

const api = Client.owner();
/** A change of rights reaches every copy of every service within this time. */
const roleMs = 1_000;
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('auth') });
});

describe('auth: credentials', () => {
  it('A6: missing, unknown and malformed credentials get one and the same 401', async () => {
    const bodies = new Set<string>();
    for (const headers of [
      {},
      { authorization: 'Bearer svck_0000000000000000000000000000000000000000' },
      { authorization: 'Bearer x' },
      { authorization: 'Basic abc' },
      { authorization: String(api.key) },
      { authorization: 'Bearer ' },
    ] as Record<string, string>[]) {
      const answer = await rawRequest(api.as(null), 'GET', '/v1/agents', { headers });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
      bodies.add(answer.text);
    }
    expect(bodies.size).toBe(1);
    expect(JSON.parse([...bodies][0] ?? '')).toMatchObject({ error: { code: 'unauthorized' } });
  });

  it('A6: authentication comes before everything else of a request', async () => {
    await api.as('nope').refused('unauthorized', 'POST', '/v1/agents', { body: { bad: true }, invalid: true });
    await api.as('nope').refused('unauthorized', 'GET', '/v1/sessions/ses_x/stream');
    await api.as(null).refused('unauthorized', 'GET', '/v1/agents/agent_00000000000000000000000000');
  });

  it('A1, A2: a key is shown once, has its form, and works at once', async () => {
    const issued = await issueKey(api, 'Viewer');
    expect(issued.key).toMatch(/^svck_[0-9A-Za-z]{40}$/);
    expect(issued.key_prefix).toBe(issued.key.slice(0, 8));
    expect(issued.org_role).toBe('Viewer');
    expect((await api.as(issued.key).get<Agent>(`/v1/agents/${agent.id}`)).id).toBe(agent.id);
    const read = await api.get<Record<string, unknown>>(`/v1/api-keys/${issued.id}`);
    expect(read).not.toHaveProperty('key');
    expect(JSON.stringify(await api.get('/v1/api-keys', { limit: 100 }))).not.toContain(issued.key);
  });

  it('A2, G29: a role beside a principal caps nothing, and the answer says so', async () => {
    const { id } = await api.post<{ id: string }>('/v1/principals', { name: unique('machine') }, 201);
    await api.post('/v1/role-assignments', { principal_id: id, role_name: 'User' }, 201);
    const warned = async (fields: object) => {
      const answer = await api.call('POST', '/v1/api-keys', { body: { name: unique('key'), ...fields } });
      expect(answer.status).toBe(201);
      return answer.headers.get('x-svc-warning');
    };
    expect(await warned({ principal_id: id, role: 'Viewer' })).toMatch(/^role_unused .*scope_role_id/);
    const { principal } = await api.get<{ principal: { id: string } }>('/v1/me');
    for (const fields of [{ principal_id: id }, { role: 'Viewer' }, { principal_id: principal.id, role: 'Viewer' }])
      expect(await warned(fields)).toBeNull();
  });

  it('A2, A6: a revoked key is refused at once', async () => {
    const issued = await issueKey(api, 'Viewer');
    const caller = api.as(issued.key);
    await caller.get('/v1/agents');
    await api.delete(`/v1/api-keys/${issued.id}`);
    await caller.refused('unauthorized', 'GET', '/v1/agents');
    await api.refused('not_found', 'GET', `/v1/api-keys/${issued.id}`);
  });

  it('A2: expires_at must lie in the future', async () => {
    expect(
      await api.refused('invalid_argument', 'POST', '/v1/api-keys', {
        body: { name: unique('past'), expires_at: '2020-01-01T00:00:00Z' },
      }),
    ).toEqual({ argument: 'expires_at' });
    const issued = await api.post<IssuedKey & { expires_at: string }>(
      '/v1/api-keys',
      { name: unique('future'), expires_at: '2120-01-01T00:00:00Z' },
      201,
    );
    expect(issued.expires_at).toBe('2120-01-01T00:00:00.000Z');
    expect(issued.org_role).toBe('Admin');
  });

  it('R43: key names are unique; G8: unknown members are refused', async () => {
    const issued = await issueKey(api, 'User');
    expect(await api.refused('already_exists', 'POST', '/v1/api-keys', { body: { name: issued.name } })).toEqual({
      resource_id: issued.id,
    });
    await api.refused('bad_request', 'POST', '/v1/api-keys', { body: { name: unique('k'), more: 1 }, invalid: true });
    await api.refused('bad_request', 'POST', '/v1/api-keys', {
      body: { name: unique('k'), role: 'God' },
      invalid: true,
    });
  });

  it("A6: a key of a disabled principal is refused; A4: a key for nobody's role needs the flag", async () => {
    const { id, client } = await person(api);
    await client.get('/v1/agents');
    await api.patch(`/v1/principals/${id}`, { state: 'disabled' });
    await client.refused('unauthorized', 'GET', '/v1/agents');
    const bare = await api.post<{ id: string }>('/v1/principals', { name: unique('bare') }, 201);
    await api.refused('principal_has_no_roles', 'POST', '/v1/api-keys', {
      body: { name: unique('k'), principal_id: bare.id },
    });
    const allowed = await api.post<IssuedKey>(
      '/v1/api-keys',
      { name: unique('k'), principal_id: bare.id, allow_unassigned_principal: true },
      201,
    );
    await api.as(allowed.key).refused('permission_denied', 'GET', '/v1/agents');
  });
});

describe('auth: permissions (A7, A14, A21, A22)', () => {
  const callers = new Map<string, Client>();

  beforeAll(async () => {
    for (const role of ['Admin', 'User', 'Viewer'] as const) callers.set(role, await callerWith(api, role));
  });

  const matrix: [string, string, (session: string) => { method: string; path: string; body?: unknown }, string[]][] = [
    ['read agents', 'svc.resource.view', () => ({ method: 'GET', path: '/v1/agents' }), ['Admin', 'User', 'Viewer']],
    [
      'read the permission catalog',
      'svc.resource.view',
      () => ({ method: 'GET', path: '/v1/permissions' }),
      ['Admin', 'User', 'Viewer'],
    ],
    ['read roles', 'svc.resource.view', () => ({ method: 'GET', path: '/v1/roles' }), ['Admin', 'User', 'Viewer']],
    [
      'create a session',
      'svc.resource.use',
      () => ({ method: 'POST', path: '/v1/sessions', body: { agent_id: agent.id, mode: 'new' } }),
      ['Admin', 'User'],
    ],
    [
      'start a turn',
      'svc.resource.use',
      (session) => ({
        method: 'POST',
        path: `/v1/sessions/${session}/turns`,
        body: { input: { content: [text('x')] } },
      }),
      ['Admin', 'User'],
    ],
    [
      'cancel a session',
      'svc.resource.use',
      (session) => ({ method: 'POST', path: `/v1/sessions/${session}/cancel` }),
      ['Admin', 'User'],
    ],
    [
      'create an agent',
      'svc.resource.build',
      () => ({ method: 'POST', path: '/v1/agents', body: { name: unique('built'), visibility: 'organization' } }),
      ['Admin', 'User'],
    ],
    [
      'create a skill',
      'svc.resource.build',
      () => ({ method: 'POST', path: '/v1/skills', body: { name: unique('skill'), instructions: 'x' } }),
      ['Admin', 'User'],
    ],
    ['list keys', 'svc.org.admin', () => ({ method: 'GET', path: '/v1/api-keys' }), ['Admin']],
    [
      'create a principal',
      'svc.org.admin',
      () => ({ method: 'POST', path: '/v1/principals', body: { name: unique('p') } }),
      ['Admin'],
    ],
    [
      'create a role',
      'svc.org.admin',
      () => ({
        method: 'POST',
        path: '/v1/roles',
        body: { name: unique('r'), description: 'd', permissions: ['svc.resource.view'] },
      }),
      ['Admin'],
    ],
  ];

  it.each(matrix)('%s needs %s', async (_what, permission, call, allowed) => {
    for (const [role, caller] of callers) {
      const session = await createSession(api, agent.id, { mode: 'new' });
      const { method, path, body } = call(session.id);
      if (allowed.includes(role)) await caller.call(method, path, { body });
      else
        expect([role, await caller.refused('permission_denied', method, path, { body })]).toEqual([
          role,
          { permission },
        ]);
    }
  });

  it('A14: system roles are there and immutable', async () => {
    const roles = (
      await api.get<Page<{ id: string; name: string; system_defined: boolean }>>('/v1/roles', { limit: 100 })
    ).items;
    for (const name of ['Owner', 'Admin', 'User', 'Viewer', 'Worker', 'Agent']) {
      const role = roles.find((one) => one.name === name && one.system_defined);
      expect([name, role?.name]).toEqual([name, name]);
      await api.refused('system_role_immutable', 'PATCH', `/v1/roles/${role?.id ?? ''}`, {
        body: { description: 'x' },
      });
      await api.refused('system_role_immutable', 'DELETE', `/v1/roles/${role?.id ?? ''}`);
    }
  });

  it('A22, A23: custom roles: use implies view; build does not give use; unknown permissions are refused', async () => {
    const keyWith = async (permissions: string[]) => {
      const role = await api.post<{ id: string }>(
        '/v1/roles',
        { name: unique('role'), description: 'd', permissions },
        201,
      );
      const principal = await api.post<{ id: string }>(
        '/v1/principals',
        { name: unique('client'), role_ids: [role.id] },
        201,
      );
      return api.as(
        (await api.post<IssuedKey>('/v1/api-keys', { name: unique('k'), principal_id: principal.id }, 201)).key,
      );
    };
    const user = await keyWith(['svc.resource.use']);
    await user.get('/v1/agents');
    await user.refused('permission_denied', 'POST', '/v1/agents', {
      body: { name: unique('x'), visibility: 'organization' },
    });
    const builder = await keyWith(['svc.resource.build']);
    await builder.get('/v1/agents');
    await builder.refused('permission_denied', 'POST', '/v1/sessions', { body: { agent_id: agent.id } });
    expect(
      await api.refused('unknown_permission', 'POST', '/v1/roles', {
        body: { name: unique('r'), description: 'd', permissions: ['svc.nothing'] },
      }),
    ).toEqual({ permission: 'svc.nothing' });
  });

  it('A27: a key whose scope role is deleted may do nothing any more, and executes no action', async () => {
    const permissions = ['svc.resource.view', 'actions.execute.svc.table.list'];
    const role = await api.post<{ id: string }>('/v1/roles', { name: unique('scope'), permissions }, 201);
    const roles = await api.get<Page<{ id: string; name: string }>>('/v1/roles');
    const user = roles.items.find(({ name }) => name === 'User');
    const client = await api.post<{ id: string }>(
      '/v1/principals',
      { name: unique('client'), role_ids: [user?.id] },
      201,
    );
    const body = { name: unique('k'), principal_id: client.id, scope_role_id: role.id };
    const caller = api.as((await api.post<IssuedKey>('/v1/api-keys', body, 201)).key);
    const call = { body: { parameters: {} }, headers: { 'Idempotency-Key': unique('call') } };
    const granted = async () => (await caller.get<{ permissions: string[] }>('/v1/me')).permissions;
    expect((await granted()).sort()).toEqual([...permissions].sort());
    await api.delete(`/v1/roles/${role.id}`);
    await eventually('the end of the scope', async () => (await caller.send('GET', '/v1/agents')).status === 403);
    expect(await granted()).toEqual([]);
    await caller.refused('permission_denied', 'POST', '/v1/actions/svc.table.list/invoke', call);
  });

  it('A15: an assignment gives its role and takes it, on the next request in one process and within a second in a fleet', async () => {
    const principal = await api.post<{ id: string }>('/v1/principals', { name: unique('client') }, 201);
    const issued = await api.post<IssuedKey>(
      '/v1/api-keys',
      { name: unique('k'), principal_id: principal.id, allow_unassigned_principal: true },
      201,
    );
    const caller = api.as(issued.key);
    await caller.refused('permission_denied', 'GET', '/v1/agents');
    const body = { principal_id: principal.id, role_name: 'Viewer' };
    const answered = async (status: number): Promise<number> => {
      const from = performance.now();
      await eventually(`${status}`, async () => (await caller.send('GET', '/v1/agents')).status === status);
      return performance.now() - from;
    };
    const took = await quickest(roleMs, async () => {
      const assignment = await api.post<{ id: string }>('/v1/role-assignments', body, 201);
      const given = await answered(200);
      await api.refused('already_exists', 'POST', '/v1/role-assignments', { body });
      await api.delete(`/v1/role-assignments/${assignment.id}`);
      return Math.max(given, await answered(403));
    });
    expect(took).toBeLessThan(roleMs);
  });
});
