import { Client, type Page, callerWith, person, unique } from '../harness/index.js';

interface Action {
  id: string;
  name: string;
  endpoint_kind: string;
  endpoint_url?: string;
  invocation_format: string;
  signing_secret?: string;
  annotations: Record<string, boolean>;
  input_schema?: object;
  visibility: string;
}
interface Entry {
  name: string;
  source: string;
  endpoint_kind: string;
  risk: string;
  id?: string;
}

const api = Client.owner();
const url = 'https://hooks.example.com/run';

function createAction(fields: Record<string, unknown> = {}): Promise<Action> {
  return api.post<Action>(
    '/v1/actions',
    { name: unique('act'), ...(fields.endpoint_kind === 'worker' ? {} : { endpoint_url: url }), ...fields },
    201,
  );
}

const refusedSchema = (schema: object) =>
  api.refused('bad_request', 'POST', '/v1/actions', {
    body: { name: unique('act'), endpoint_url: url, input_schema: schema },
  });

describe('actions', () => {
  it('R21: are created, read by name, listed, changed and deleted', async () => {
    const made = await createAction({
      title: 'Send',
      description: 'Sends.',
      input_schema: { type: 'object', properties: { to: { type: 'string', pattern: '^[a-z]+$' } } },
      annotations: { idempotent: true },
      tags: { a: 'b' },
    });
    expect(made).toMatchObject({
      endpoint_kind: 'http',
      invocation_format: 'legacy',
      endpoint_url: url,
      annotations: { idempotent: true },
    });
    expect(made.id).toMatch(/^act_[0-9a-z]{20,}$/);
    const { signing_secret: secret, ...shown } = made;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    const path = `/v1/actions/${made.name}`;
    expect(await api.get<Action>(path)).toEqual(shown);
    expect((await api.get<Page<Action>>('/v1/actions', { name: made.name })).items).toEqual([shown]);
    const changed = await api.patch<Action>(path, {
      title: '',
      annotations: null,
      invocation_format: 'signed_context_v1',
    });
    expect(changed).toMatchObject({
      id: made.id,
      description: 'Sends.',
      annotations: {},
      invocation_format: 'signed_context_v1',
    });
    expect(changed).not.toHaveProperty('title');
    expect(
      (await api.refused('already_exists', 'POST', '/v1/actions', { body: { name: made.name, endpoint_url: url } }))
        .resource_id,
    ).toBe(made.id);
    await api.delete(path);
    await api.refused('not_found', 'GET', path);
    await api.refused('not_found', 'DELETE', path);
    await createAction({ name: made.name });
  });

  it('B7: http needs an address, worker has none; name and kind are fixed', async () => {
    await api.refused('bad_request', 'POST', '/v1/actions', { body: { name: unique('act') } });
    await api.refused('bad_request', 'POST', '/v1/actions', {
      body: { name: unique('act'), endpoint_kind: 'worker', endpoint_url: url },
    });
    const worker = await createAction({ endpoint_kind: 'worker' });
    expect(worker).not.toHaveProperty('signing_secret');
    expect(worker).not.toHaveProperty('endpoint_url');
    await api.refused('bad_request', 'PATCH', `/v1/actions/${worker.name}`, { body: { endpoint_url: url } });
    for (const body of [{ name: 'other' }, { endpoint_kind: 'http' }])
      await api.refused('bad_request', 'PATCH', `/v1/actions/${worker.name}`, { body, invalid: true });
    await api.refused('invalid_argument', 'POST', '/v1/actions', {
      body: { name: `svc.${unique('x')}`, endpoint_url: url },
    });
    await api.refused('invalid_argument', 'POST', '/v1/actions', {
      body: { name: unique('x'), endpoint_url: url, tags: { 'svc:x': 'y' } },
    });
  });

  it('R25: a rotated secret is shown once, with its version', async () => {
    const made = await createAction();
    const rotate = () =>
      api.post<{ secret_version: number; signing_secret: string }>(
        `/v1/actions/${made.name}/secret/rotate`,
        undefined,
        200,
      );
    const [second, third] = [await rotate(), await rotate()];
    expect([second.secret_version, third.secret_version]).toEqual([2, 3]);
    expect(new Set([made.signing_secret, second.signing_secret, third.signing_secret]).size).toBe(3);
    expect(await api.get<Action>(`/v1/actions/${made.name}`)).not.toHaveProperty('signing_secret');
    const worker = await createAction({ endpoint_kind: 'worker' });
    await api.refused('conflict', 'POST', `/v1/actions/${worker.name}/secret/rotate`);
    await api.refused('not_found', 'POST', `/v1/actions/${unique('none')}/secret/rotate`);
  });

  it('S26: addresses that the service will not call are refused when they are saved', async () => {
    const bad = [
      'http://127.0.0.1/x',
      'http://[::1]/',
      'http://10.0.0.5/',
      'http://169.254.169.254/latest',
      'ftp://hooks.example.com/',
      'https://u:p@hooks.example.com/',
      'http://localhost/',
    ];
    for (const endpoint_url of bad) {
      expect(
        await api.refused('invalid_argument', 'POST', '/v1/actions', { body: { name: unique('act'), endpoint_url } }),
      ).toMatchObject({ argument: 'endpoint_url' });
    }
    const made = await createAction();
    await api.refused('invalid_argument', 'PATCH', `/v1/actions/${made.name}`, {
      body: { endpoint_url: 'http://192.168.1.1/' },
    });
  });

  it('S25: schemas that cannot be used safely are refused', async () => {
    let deep: object = { type: 'string' };
    for (let level = 0; level < 20; level += 1) deep = { properties: { a: deep } };
    await refusedSchema(deep);
    await refusedSchema({ $ref: 'https://elsewhere.example/schema.json' });
    await refusedSchema({ $async: true, type: 'object' });
    await refusedSchema({ properties: { a: { $async: true } } });
    await refusedSchema({ type: 'nothing' });
    await refusedSchema({ properties: { a: { type: 'string', pattern: '(?=a)b' } } });
    await refusedSchema({ properties: { a: { type: 'string', pattern: '(' } } });
    await refusedSchema({ description: 'x'.repeat(70_000) });
    expect(await refusedSchema({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } })).toMatchObject({
      issues: [{ message: expect.stringContaining('leads back to itself') as string }],
    });
    await createAction({
      input_schema: { properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'string', pattern: '^(a+)+$' } } },
    });
    await createAction({
      input_schema: { $id: 'https://x.example/same', type: 'object' },
      output_schema: { $id: 'https://x.example/same', type: 'array' },
    });
  });

  it('S25: a schema is of the draft that it names: draft-07, 2019-09 or 2020-12', async () => {
    const pair = { type: 'array', items: [{ type: 'string' }, { type: 'number' }] };
    for (const draft of ['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2019-09/schema'])
      for (const $schema of [draft, draft.replace(/#$/, '')]) {
        const schema = { $schema, type: 'object', properties: { pair } };
        const { name } = await createAction({ input_schema: schema, output_schema: schema });
        await api.refused('bad_request', 'POST', `/v1/actions/${name}/invoke`, {
          body: { input: { pair: ['a', 'b'] } },
        });
      }
    // What draft-07 calls `items` of a tuple is `prefixItems` in 2020-12, the draft of a schema that names none.
    await createAction({ input_schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' } });
    await refusedSchema({ type: 'object', properties: { pair } });
    for (const $schema of ['http://json-schema.org/draft-04/schema#', 'nope', 5, null]) {
      const details = (await refusedSchema({ $schema, type: 'object' })) as { issues: object[] };
      expect(details.issues).toEqual([
        { path: '/input_schema/$schema', message: 'names no draft that is taken: draft-07, 2019-09 or 2020-12' },
      ]);
    }
  });

  it('R40: the catalog lists custom actions beside the built-in ones, to those who can see them', async () => {
    const made = await createAction({ annotations: { destructive: true }, input_schema: { type: 'object' } });
    const entry = await api.get<Entry>(`/v1/catalog/actions/${made.name}`);
    expect(entry).toMatchObject({
      id: made.id,
      source: 'custom',
      definition_scope: 'custom',
      endpoint_kind: 'http',
      risk: 'high',
      readiness: 'ready',
      input_schema: { type: 'object' },
    });
    expect(entry).not.toHaveProperty('signing_secret');
    expect(
      (await api.get<{ items: Entry[] }>('/v1/catalog/actions')).items.filter(({ name }) => name === made.name),
    ).toEqual([entry]);
    const ann = await person(api, 'Admin');
    const bob = await person(api, 'User');
    const mine = await ann.client.post<Action>('/v1/actions', { name: unique('mine'), endpoint_url: url }, 201);
    expect(mine.visibility).toBe('private');
    await bob.client.refused('not_found', 'GET', `/v1/catalog/actions/${mine.name}`);
    await bob.client.refused('not_found', 'GET', `/v1/actions/${mine.name}`);
    await (
      await callerWith(api, 'Viewer')
    ).refused('permission_denied', 'POST', '/v1/actions', { body: { name: unique('x'), endpoint_url: url } });
  });

  it('R38: the model catalog names the default', async () => {
    const catalog = await api.get<{
      default_model: string;
      items: { provider: string; models: { id: string; recommended?: boolean }[] }[];
    }>('/v1/catalog/models');
    expect(catalog.items.flatMap(({ models }) => models).map(({ id }) => id)).toContain('svc-scripted-1');
    expect(catalog.default_model).not.toBe('');
  });
});
