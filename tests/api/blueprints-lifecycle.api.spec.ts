import {
  type Agent,
  type Client,
  type Page,
  allRows,
  createSession,
  eventually,
  invoke,
  person,
  said,
  settled,
  unique,
} from '../harness/index.js';
import {
  type Binding,
  type Deleted,
  type Result,
  actions,
  all,
  api,
  apply,
  bindingsOf,
  identity,
  pair,
  preview,
  refused,
} from './blueprints.js';

const types = ['table', 'action', 'skill', 'agent'];
const idOf = (result: Result, type: string) =>
  result.bindings.find((binding) => binding.resource_type === type)?.resource_id ?? '';
const protect = (blueprint: { namespace?: string; blueprint_key: string }, isProtected: boolean) =>
  api.call<{ protected: boolean; items: Binding[] }>('PUT', `/v1/blueprints/${blueprint.blueprint_key}/protection`, {
    query: { namespace: blueprint.namespace },
    body: { protected: isProtected },
    expect: 200,
  });
const remove = async (blueprint: { namespace?: string; blueprint_key: string }, query: Record<string, boolean> = {}) =>
  (
    await api.call<Deleted>('DELETE', `/v1/blueprints/${blueprint.blueprint_key}`, {
      query: { namespace: blueprint.namespace, ...query },
      expect: 200,
    })
  ).body;

describe('blueprints: every type', () => {
  it('B6, B7: tables, actions, skills, agents are created with their fields, in this order', async () => {
    const id = identity();
    const resources = all();
    const shown = await preview({ ...id, resources });
    const result = await apply({ ...id, resources });
    expect(result.changes.map(({ resource_type: type, action }) => [type, action])).toEqual(
      types.map((type) => [type, 'created']),
    );
    expect(result.changes.map(({ resource_id: _id, ...rest }) => rest)).toEqual(shown.changes);
    expect(idOf(result, 'table')).toMatch(/^tbl_[0-9a-z]{20,}$/);
    expect(idOf(result, 'action')).toMatch(/^act_[0-9a-z]{20,}$/);
    const { key: _t, ...table } = resources.tables[0] ?? { key: '' };
    expect(await api.get(`/v1/tables/${idOf(result, 'table')}`)).toMatchObject({
      ...table,
      owner: { kind: 'team' },
      visibility: 'organization',
    });
    const { key: _a, type, endpoint, name, ...action } = resources.actions[0] ?? { key: '', name: '' };
    expect(await api.get(`/v1/actions/${name}`)).toMatchObject({
      ...action,
      endpoint_kind: type,
      endpoint_url: endpoint,
      invocation_format: 'legacy',
      owner: { kind: 'team' },
    });
    expect(actions(await apply({ ...id, resources }))).toEqual(types.map(() => 'unchanged'));
  });

  it('R25: an action made by a blueprint has a secret, which rotating shows; protection does not block it', async () => {
    const resources = { actions: all().actions };
    const id = identity();
    await apply({ ...id, protect_resources: true, resources });
    const rotated = await api.post<{ secret_version: number; signing_secret: string }>(
      `/v1/actions/${resources.actions[0]?.name ?? ''}/secret/rotate`,
      undefined,
      200,
    );
    expect(rotated).toMatchObject({ secret_version: 2, signing_secret: expect.stringMatching(/^whsec_/) as unknown });
    expect(actions(await apply({ ...id, resources }))).toEqual(['unchanged']);
  });

  it('B19, B20: name and type of an action, identity and types of columns are fixed; tables are renamed', async () => {
    const id = identity();
    const resources = all();
    const [action, table] = [resources.actions[0]!, resources.tables[0]!];
    const result = await apply({ ...id, resources });
    const conflict = (changed: Record<string, unknown>) => refused('blueprint_conflict', { ...id, resources: changed });
    expect(await conflict({ actions: [{ ...action, name: `${action.name}.other` }] })).toMatchObject({
      reason: 'immutable_field',
      resource_type: 'action',
      key: 'send',
      field: 'name',
    });
    const { endpoint: _endpoint, ...worker } = action;
    expect(await conflict({ actions: [{ ...worker, type: 'worker' }] })).toMatchObject({
      reason: 'immutable_field',
      field: 'type',
    });
    const columns = (...changed: Record<string, unknown>[]) => ({
      tables: [{ ...table, schema: { identity_column: 'id', columns: [table.schema.columns[0], ...changed] } }],
    });
    expect(await conflict(columns())).toMatchObject({
      reason: 'immutable_field',
      resource_type: 'table',
      field: 'schema.columns.text',
    });
    expect(await conflict(columns({ name: 'text', type: 'number' }))).toMatchObject({
      field: 'schema.columns.text.type',
    });
    expect(
      await conflict(columns({ name: 'text', type: 'string' }, { name: 'more', type: 'string', required: true })),
    ).toMatchObject({ field: 'schema.columns.more.required' });
    const name = `${table.name}_renamed`;
    const grown = await apply({
      ...id,
      resources: {
        tables: [
          {
            ...table,
            name,
            schema: { identity_column: 'id', columns: [...table.schema.columns, { name: 'more', type: 'any' }] },
          },
        ],
      },
    });
    expect(grown.changes).toMatchObject([
      { action: 'updated', fields: ['name', 'schema'], resource_id: idOf(result, 'table') },
    ]);
    expect(await api.get(`/v1/tables/${idOf(result, 'table')}`)).toMatchObject({ name });
  });

  it('B7, S25: endpoint and type of an action', async () => {
    const { endpoint: _endpoint, ...bare } = all().actions[0]!;
    const of = (action: Record<string, unknown>) => ({ ...identity(), resources: { actions: [action] } });
    await refused('bad_request', of(bare));
    await refused('bad_request', of({ ...bare, type: 'worker', endpoint: 'https://acme.example/' }));
    await refused('invalid_argument', of({ ...bare, name: 'svc.mine', endpoint: 'https://acme.example/' }));
    expect(await refused('invalid_argument', of({ ...bare, endpoint: 'http://127.0.0.1:1/' }))).toMatchObject({
      argument: 'endpoint',
      key: 'send',
    });
    await refused(
      'bad_request',
      of({ ...bare, endpoint: 'https://acme.example/', input_schema: { type: 'nonsense' } }),
    );
    expect(actions(await apply(of({ ...bare, type: 'worker' })))).toEqual(['created']);
  });

  it('B16: tables and actions are adopted when their fixed facts are equal', async () => {
    const { tables, actions: wanted } = all();
    const [table, action] = [tables[0]!, wanted[0]!];
    const made = await api.post<{ id: string }>('/v1/tables', { name: table.name, schema: table.schema }, 201);
    await api.post('/v1/actions', { name: action.name, endpoint_kind: 'worker' }, 201);
    expect(await refused('blueprint_conflict', { ...identity(), resources: { actions: wanted } })).toMatchObject({
      reason: 'immutable_field',
      field: 'type',
    });
    const result = await apply({ ...identity(), resources: { tables } });
    expect(result.changes).toMatchObject([
      { action: 'adopted', resource_id: made.id, fields: ['description', 'instructions'] },
    ]);
    expect(result.bindings).toMatchObject([{ delete_on_destroy: false }]);
  });
});

describe('blueprints: protection', () => {
  const details = ({ namespace, blueprint_key }: { namespace: string; blueprint_key: string }) => ({
    namespace,
    blueprint_key,
  });

  it('B21, B22, B23: blocks ordinary changes and deletes of every type; apply still converges', async () => {
    const id = identity();
    const resources = all();
    const result = await apply({ ...id, protect_resources: true, resources });
    expect(result.bindings.every((binding) => binding.protected)).toBe(true);
    const [agent, skill, table] = [
      `/v1/agents/${idOf(result, 'agent')}`,
      `/v1/skills/${idOf(result, 'skill')}`,
      `/v1/tables/${idOf(result, 'table')}`,
    ];
    const action = `/v1/actions/${resources.actions[0]?.name ?? ''}`;
    const blocked: [string, string, unknown][] = [
      ['PATCH', agent, { color: 'red' }],
      ['DELETE', agent, undefined],
      ['PUT', `${agent}/skill-assignments`, { skill_ids: [] }],
      ['PUT', `${agent}/members`, { principal_ids: [] }],
      ['PUT', skill, { name: unique('x'), instructions: 'x' }],
      ['DELETE', skill, undefined],
      ['PATCH', table, { description: 'x' }],
      ['DELETE', table, undefined],
      ['PATCH', action, { title: 'x' }],
      ['DELETE', action, undefined],
      ...types.map((type): [string, string, unknown] => [
        'PATCH',
        `/v1/resources/${type}/${idOf(result, type)}/ownership`,
        { owner: { kind: 'team' } },
      ]),
    ];
    for (const [method, path, body] of blocked)
      expect(await api.refused('blueprint_resource_protected', method, path, { body })).toEqual(details(id));
    const changed = await apply({
      ...id,
      resources: { agents: [{ key: 'writer', name: resources.agents[0]?.['name'], color: 'red' }] },
    });
    expect(changed.changes).toMatchObject([{ action: 'updated', fields: ['color'] }]);
    expect(changed.bindings.every((binding) => binding.protected)).toBe(true);
    const lifted = await apply({ ...id, protect_resources: false, resources: {} });
    expect(lifted.bindings.every((binding) => !binding.protected)).toBe(true);
    await api.patch(agent, { color: 'blue' }, 200);
    await api.delete(agent);
  });

  it('leaves runtime work alone: turns, rows, memory', async () => {
    const id = identity();
    const resources = all();
    const result = await apply({ ...id, protect_resources: true, resources });
    const agentId = idOf(result, 'agent');
    const ack = await invoke(api, agentId, 'hello');
    expect((await settled(api, ack)).status).toBe('completed');
    expect(said((await allRows(api, ack.session_id)).at(-1))).toContain('hello');
    await createSession(api, agentId);
    const rows = `/v1/tables/${idOf(result, 'table')}/rows`;
    const row = await api.post<{ id: string }>(rows, { data: { id: '1', text: 'a' } }, 201);
    await api.patch(`${rows}/${row.id}`, { data: { text: 'b' } }, 200);
    await api.delete(`${rows}/${row.id}`);
  });

  it('B22: PUT protects and lifts, and repeats; a blueprint without bindings is 404', async () => {
    const id = identity();
    const { bindings } = await apply({ ...id, resources: pair() });
    for (const isProtected of [true, true, false, false]) {
      const { body } = await protect(id, isProtected);
      expect(body).toEqual({
        protected: isProtected,
        ...id,
        items: bindings.map((binding) => ({ ...binding, protected: isProtected })),
      });
      expect(await bindingsOf(id)).toEqual(body.items);
    }
    for (const other of [
      { ...id, namespace: unique('no') },
      { ...id, namespace: undefined },
    ]) {
      await api.refused('not_found', 'PUT', `/v1/blueprints/${other.blueprint_key}/protection`, {
        query: { namespace: other.namespace },
        body: { protected: true },
      });
    }
    await api.refused('bad_request', 'PUT', `/v1/blueprints/${id.blueprint_key}/protection`, {
      query: id,
      body: { protected: 'yes' },
      invalid: true,
    });
  });

  it('B21: new bindings start unprotected; true protects also what the request leaves out', async () => {
    const id = identity();
    const { skills, agents } = pair();
    await apply({ ...id, protect_resources: true, resources: { skills } });
    const grown = await apply({ ...id, resources: { skills, agents } });
    expect(grown.bindings.map((binding) => binding.protected)).toEqual([true, false]);
    const whole = await apply({ ...id, protect_resources: true, resources: { agents } });
    expect(whole.bindings.map((binding) => binding.protected)).toEqual([true, true]);
    expect(actions(whole)).toEqual(['unchanged']);
  });

  it('invariant 61: protection racing with a change: whichever is first, the other follows its rule', async () => {
    const id = identity();
    const result = await apply({ ...id, resources: pair() });
    const agent = `/v1/agents/${idOf(result, 'agent')}`;
    const answers = await Promise.all([
      protect(id, true),
      ...Array.from({ length: 10 }, (_, index) => api.send('PATCH', agent, { body: { color: `c${index}` } })),
    ]);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    await api.refused('blueprint_resource_protected', 'PATCH', agent, { body: { color: 'late' } });
    expect((await api.get<{ color?: string }>(agent)).color).not.toBe('late');
  });
});

describe('blueprints: delete', () => {
  it('rules BP4, B6, B24: deletes what it created in reverse order; names are free again', async () => {
    const id = identity();
    const resources = all();
    const { bindings } = await apply({ ...id, resources });
    const gone = await remove(id);
    expect(gone).toEqual({ status: 'deleted', ...id, deleted: [...bindings].reverse(), retained: [] });
    expect(await bindingsOf(id)).toEqual([]);
    await api.refused('not_found', 'GET', `/v1/agents/${bindings[3]?.resource_id ?? ''}`);
    await api.refused('not_found', 'GET', `/v1/skills/${bindings[2]?.resource_id ?? ''}`);
    await api.refused('not_found', 'GET', `/v1/actions/${resources.actions[0]?.name ?? ''}`);
    await api.refused('not_found', 'GET', `/v1/tables/${bindings[0]?.resource_id ?? ''}`);
    await api.refused('not_found', 'DELETE', `/v1/blueprints/${id.blueprint_key}`, {
      query: { namespace: id.namespace },
    });
    const again = await apply({ ...id, resources });
    expect(actions(again)).toEqual(types.map(() => 'created'));
    expect(again.bindings.map((binding) => binding.resource_id)).not.toEqual(
      bindings.map((binding) => binding.resource_id),
    );
  });

  it('rule BP4: adopted resources are retained and unbound, unless delete_retained', async () => {
    const name = unique('kept');
    const agent = await api.post<Agent>('/v1/agents', { name, visibility: 'organization' }, 201);
    const body = { ...identity(), resources: { skills: pair().skills, agents: [{ key: 'a', name }] } };
    await apply(body);
    const first = await remove(body);
    expect(first.deleted.map(({ resource_type: type }) => type)).toEqual(['skill']);
    expect(first.retained).toMatchObject([{ resource_id: agent.id, delete_on_destroy: false }]);
    await api.patch(`/v1/agents/${agent.id}`, { color: 'free' }, 200);
    const other = { ...identity(), resources: body.resources };
    expect(actions(await apply(other))).toEqual(['created', 'adopted']);
    const second = await remove(other, { delete_retained: true });
    expect(second.deleted).toHaveLength(2);
    expect(second.retained).toEqual([]);
    await api.refused('not_found', 'GET', `/v1/agents/${agent.id}`);
  });

  it('rule B31: a protected blueprint is not deleted, not even in part, until its protection is lifted', async () => {
    const id = identity();
    const { bindings } = await apply({ ...id, resources: pair() });
    await apply({ ...id, protect_resources: true, resources: {} });
    const { skills } = pair();
    await apply({ ...id, resources: { skills: skills.map((skill) => ({ ...skill, key: 'late' })) } });
    const query = { namespace: id.namespace };
    for (const retained of [false, true]) {
      const refused = await api.refused(
        'blueprint_resource_protected',
        'DELETE',
        `/v1/blueprints/${id.blueprint_key}`,
        { query: { ...query, delete_retained: retained } },
      );
      expect(refused).toEqual({ namespace: id.namespace, blueprint_key: id.blueprint_key });
    }
    expect(await bindingsOf(id)).toHaveLength(bindings.length + 1);
    await protect(id, false);
    expect((await remove(id)).deleted).toHaveLength(bindings.length + 1);
  });

  it('rule A30: what a person keeps private is left alone by the blueprint that once bound it', async () => {
    const ann = await person(api, 'Admin');
    const name = unique('annes');
    const { id: agentId } = await ann.client.post<Agent>('/v1/agents', { name, visibility: 'private' }, 201);
    const id = identity();
    const body = { ...id, resources: { ...pair(), agents: [{ key: 'a', name }] } };
    await ann.client.post('/v1/blueprints/apply', body, 200);
    const seen = async (client: Client) =>
      (await client.get<Page<Binding>>('/v1/blueprints/bindings', { ...id })).items.map(({ key }) => key);
    expect(await seen(ann.client)).toContain('a');
    expect(await seen(api)).not.toContain('a');
    expect(await api.refused('blueprint_conflict', 'POST', '/v1/blueprints/apply', { body })).toMatchObject({
      reason: 'unsafe_adoption',
      key: 'a',
    });
    expect((await remove(id)).retained).toEqual([]);
    expect((await ann.client.get<Agent>(`/v1/agents/${agentId}`)).name).toBe(name);
    expect(await seen(ann.client)).toEqual(['a']);
  });

  it('rules A30, B21: an apply of another caller neither protects what a person keeps private nor lifts its protection', async () => {
    const [ann, bob, id, name] = [await person(api), await person(api), identity(), unique('annes')];
    const { id: agentId } = await ann.client.post<Agent>('/v1/agents', { name, visibility: 'private' }, 201);
    await ann.client.post('/v1/blueprints/apply', { ...id, resources: { agents: [{ key: 'a', name }] } }, 200);
    await apply({ ...id, resources: { skills: [{ key: 's', name: unique('shared'), instructions: 'x' }] } });
    const isProtected = async () => {
      const { items } = await ann.client.get<Page<Binding>>('/v1/blueprints/bindings', { ...id });
      return Object.fromEntries(items.map((binding) => [binding.key, binding.protected]));
    };
    const setting = (client: Client, protect_resources: boolean) =>
      client.post('/v1/blueprints/apply', { ...id, protect_resources, resources: {} }, 200);
    await setting(bob.client, true);
    expect(await isProtected()).toEqual({ a: false, s: true });
    await ann.client.patch(`/v1/agents/${agentId}`, { description: 'still hers' });
    await setting(ann.client, true);
    await setting(api, false);
    expect(await isProtected()).toEqual({ a: true, s: false });
  });

  it('rules A30, B9, G13: a key of it leads others to what a person keeps private no more than one that is not there', async () => {
    const [ann, bob, id] = [await person(api, 'Admin'), await person(api), identity()];
    const name = unique('annes');
    const skills = [{ key: 's', name, instructions: 'hers' }];
    const { bindings } = await apply({ ...id, resources: { skills } });
    const hers = { owner: { kind: 'person', id: ann.id }, visibility: 'private' };
    await api.patch(`/v1/resources/skill/${bindings[0]?.resource_id}/ownership`, hers);
    const using = (key: string) => ({ agents: [{ key: 'a', name: unique('agent'), skills: [{ key }] }] });
    for (const mode of ['preview', 'apply']) {
      for (const key of ['s', 'none']) {
        const body = { ...id, mode, resources: using(key) };
        expect(
          await bob.client.refused('blueprint_reference_not_found', 'POST', '/v1/blueprints/apply', { body }),
        ).toEqual({ reference: { key }, resource_type: 'agent', key: 'a' });
      }
    }
    const mine = { ...id, resources: using('s') };
    expect(await ann.client.post('/v1/blueprints/apply', mine, 200)).toMatchObject({ status: 'applied' });
    // of another blueprint, too: neither that it is bound, nor by which one
    const resources = { skills: [{ key: 't', name: unique('his'), instructions: 'x' }] };
    const his = identity();
    await apply({ ...his, resources });
    for (const [theirs, key] of [
      [identity(), 'u'],
      [his, 't'],
    ] as const) {
      const body = { ...theirs, resources: { skills: [{ key, name, instructions: 'x' }] } };
      const details = await bob.client.refused('blueprint_conflict', 'POST', '/v1/blueprints/apply', { body });
      expect(details).toMatchObject({ key });
      expect(JSON.stringify(details)).not.toContain(id.blueprint_key);
    }
  });

  it('rule BP5: without namespace only the unnamespaced blueprint goes', async () => {
    const blueprint_key = unique('bp');
    const namespace = unique('ns');
    await apply({ namespace, blueprint_key, resources: pair() });
    await api.refused('not_found', 'DELETE', `/v1/blueprints/${blueprint_key}`);
    await apply({ blueprint_key, resources: pair() });
    const gone = await remove({ blueprint_key });
    expect(gone.deleted).toHaveLength(2);
    expect(gone).not.toHaveProperty('namespace');
    expect(await bindingsOf({ blueprint_key })).toHaveLength(2);
    expect((await remove({ namespace, blueprint_key })).deleted).toHaveLength(2);
  });

  it('a deleted skill leaves agents that are not of the blueprint', async () => {
    const id = identity();
    const { bindings } = await apply({ ...id, resources: { skills: pair().skills } });
    const agent = await api.post<Agent>(
      '/v1/agents',
      { name: unique('other'), visibility: 'organization', skill_ids: [bindings[0]?.resource_id] },
      201,
    );
    await remove(id);
    expect((await api.get<Agent>(`/v1/agents/${agent.id}`)).skill_ids).toEqual([]);
  });

  it('keys with characters of their own in the path', async () => {
    const blueprint_key = `${unique('a')}/b c?d%25é`;
    await apply({ blueprint_key, resources: pair() });
    const path = `/v1/blueprints/${encodeURIComponent(blueprint_key)}`;
    expect(
      (
        await api.call<{ blueprint_key: string }>('PUT', `${path}/protection`, {
          body: { protected: true },
          expect: 200,
        })
      ).body.blueprint_key,
    ).toBe(blueprint_key);
    await api.call('PUT', `${path}/protection`, { body: { protected: false }, expect: 200 });
    expect((await api.call<Deleted>('DELETE', path, { expect: 200 })).body.deleted).toHaveLength(2);
  });
});

describe('blueprints: audit', () => {
  it('S34: tells who protected, lifted and deleted', async () => {
    const id = identity();
    const result = await apply({ ...id, protect_resources: true, resources: pair() });
    await protect(id, false);
    await protect(id, true);
    await protect(id, false);
    await remove(id);
    for (const type of ['skill', 'agent']) {
      const told = await eventually(`the audit of the ${type}`, async () => {
        const { items } = await api.get<Page<{ action: string; resource: { name: string } }>>('/v1/audit', {
          resource_id: idOf(result, type),
          action: [`${type}.*`],
        });
        return items[0]?.action === `${type}.deleted` ? items : null;
      });
      expect(told.map(({ action }) => action).reverse()).toEqual(
        ['created', 'protected', 'unprotected', 'protected', 'unprotected', 'deleted'].map(
          (action) => `${type}.${action}`,
        ),
      );
    }
  });
});

describe('blueprints: at once', () => {
  it('B28: ten applies of one blueprint over HTTP make one of each', async () => {
    const id = identity();
    const resources = all();
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, by) => apply({ ...id, blueprint_version: String(by), resources })),
    );
    expect(results.filter((result) => actions(result).every((action) => action === 'created'))).toHaveLength(1);
    expect(
      new Set(results.map((result) => JSON.stringify(result.bindings.map((binding) => binding.resource_id)))).size,
    ).toBe(1);
    expect(await bindingsOf(id)).toHaveLength(4);
  });
});
