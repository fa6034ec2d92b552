import {
  type Agent,
  type IssuedKey,
  type Page,
  Client,
  endlessScript,
  cancelTurn,
  eventsAfter,
  feedEnd,
  invoke,
  person,
  reaches,
  settled,
  script,
  unique,
} from '../harness/index.js';
import {
  type ApiOperation,
  type Caller,
  Place,
  exchange,
  requestTo,
  servedOperations,
} from '../harness/generators/index.js';

/** Everything of a private agent's that a path can name, and the other private resources of one person. */
type Kept = Record<string, string>;

const api = Client.owner();
const place = new Place(api);
const secret = unique('annes');
let ann: { id: string; client: Client };
let kept: Kept = {};
let table = '';
let running = { session_id: '', turn_id: '' };
let served: ApiOperation[] = [];
let before = '';
const administrators = new Map<string, Caller>();

/** Every kind of private thing that a person can have, made by that person. */
async function privateThings(): Promise<void> {
  const { client } = ann;
  const agent = await client.post<Agent>(
    '/v1/agents',
    { name: secret, model: 'svc-scripted-1', visibility: 'private', memory_enabled: true },
    201,
  );
  const skill = await client.post<{ id: string }>(
    '/v1/skills',
    { name: secret, instructions: secret, visibility: 'private' },
    201,
  );
  const action = await client.post<{ name: string }>(
    '/v1/actions',
    {
      name: secret,
      endpoint_url: 'https://example.invalid/hook',
      annotations: { read_only: true },
      visibility: 'private',
    },
    201,
  );
  table = secret.replaceAll('-', '_');
  const schema = {
    identity_column: 'sku',
    columns: [
      { name: 'sku', type: 'string', required: true },
      { name: 'note', type: 'string' },
    ],
  };
  const { id: tableId } = await client.post<{ id: string }>(
    '/v1/tables',
    { name: table, schema, visibility: 'private' },
    201,
  );
  const row = await client.post<{ id: string }>(`/v1/tables/${tableId}/rows`, { data: { sku: secret } }, 201);
  await client.put(`/v1/agents/${agent.id}/memory/entries/${secret}`, { content: secret, kind: 'fact' }, 201);
  const turn = await invoke(client, agent.id, script({ say: secret }), { session: { session_key: secret } });
  await settled(client, turn);
  running = await invoke(client, agent.id, endlessScript);
  await reaches(client, running, 'running');
  const nudge = await client.post<{ nudge_id: string }>(
    `/v1/sessions/${running.session_id}/nudges`,
    { content: secret },
    202,
  );
  const consumer = {
    kind: 'agent_tool',
    agent_tool: { invocation_id: turn.turn_id, tool_call_id: 'call_1', session_id: turn.session_id },
  };
  const asked = await client.post<{ id: string }>(
    '/v1/interactions',
    {
      kind: 'request_information',
      title: secret,
      target_user_ids: [ann.id],
      spec: { questions: [{ id: 'q', prompt: secret, mode: 'input' }] },
      consumer,
    },
    201,
  );
  const routine = await client.post<{ id: string }>(
    '/v1/routines',
    {
      agent_id: agent.id,
      name: secret,
      instructions: secret,
      schedule: { interval: '24h' },
      per_occurrence_ceiling_milli: 1000,
      daily_ceiling_milli: 10_000,
    },
    201,
  );
  await client.post(`/v1/actions/${secret}/invoke`, { input: {}, dry_run: true });
  kept = {
    agent_id: agent.id,
    skill_id: skill.id,
    action_name: action.name,
    table_id: tableId,
    row_id: row.id,
    memory_key: secret,
    session_id: turn.session_id,
    turn_id: turn.turn_id,
    nudge_id: nudge.nudge_id,
    interaction_id: asked.id,
    routine_id: routine.id,
    principal_id: ann.id,
  };
}

beforeAll(async () => {
  served = await servedOperations(api);
  ann = await person(api, 'Admin');
  before = await feedEnd(api);
  await privateThings();
  const owner = await person(api, 'Owner');
  const admin = await person(api, 'Admin');
  const { key } = await api.post<IssuedKey>('/v1/api-keys', { name: unique('key'), role: 'Admin' }, 201);
  administrators.set('an Owner', { name: 'an Owner', client: owner.client, principalId: owner.id });
  administrators.set('an Admin', { name: 'an Admin', client: admin.client, principalId: admin.id });
  administrators.set('a key with the role Owner', { name: 'the first key', client: api, principalId: '' });
  administrators.set('a key with the role Admin', { name: 'a key', client: api.as(key), principalId: '' });
});

afterAll(async () => {
  await cancelTurn(ann.client, running);
  await place.close();
});

const caller = (name: string): Caller => administrators.get(name) ?? place.nobody;
/** Principals of agents, their roles and the audit stay in an administrator's sight. */
const ofPrincipals = ['listPrincipals', 'listRoleAssignments', 'listAuditEntries'];
const whoever = ['an Owner', 'an Admin', 'a key with the role Owner', 'a key with the role Admin'];
/** Ids and names of the private things, but not those of the person. */
const traces = (): string[] => [
  ...Object.entries(kept)
    .filter(([name]) => name !== 'principal_id')
    .map(([, id]) => id),
  secret,
  table,
  running.session_id,
];
const isOfThings = ({ pathParameters }: ApiOperation): boolean =>
  pathParameters.some((name) => name !== 'principal_id' && name in kept);

/**
 * A path's parameters as the private things have them: a nudge and its cancelling belong to the session whose turn
 * still runs.
 */
function paramsOf({ pathParameters, id }: ApiOperation): Kept {
  const isOfRunning = pathParameters.includes('nudge_id') || ['cancelTurn', 'cancelSession'].includes(id);
  return { ...kept, ...(isOfRunning ? running : {}) };
}

/** The same parameters with ids that nothing has, of the same form: a turn's still holds its session's. */
function absentParamsOf(operation: ApiOperation): Kept {
  const named = paramsOf(operation);
  const others = Object.entries(named).map(([name, value]): [string, string] => {
    const id = String(value);
    if (name === 'principal_id') return [name, id];
    return [name, id === secret ? `${secret}-not` : id.replace(/^([a-z]+_.{8}).../, '$1000')];
  });
  return Object.fromEntries(others);
}

async function snapshot(): Promise<string> {
  const reads = served.filter(
    (operation) =>
      operation.method === 'GET' &&
      isOfThings(operation) &&
      !operation.isStream &&
      !operation.path.startsWith('/interactions'),
  );
  const answers: string[] = [];
  for (const operation of reads) {
    const request = await requestTo(operation, place, place.nobody);
    const { status, text } = await exchange(ann.client, { ...request, params: paramsOf(operation) });
    answers.push(`${operation.id} ${status} ${text.replaceAll(/"(next_cursor|generated_at)":"[^"]*"/g, '')}`);
  }
  return answers.join('\n');
}

describe('rule A30: administration gives no reach of what a person keeps private', () => {
  it('the person reaches all of it', async () => {
    const reads = served.filter(
      (operation) => operation.method === 'GET' && isOfThings(operation) && operation.permission !== null,
    );
    const faults: string[] = [];
    for (const operation of reads) {
      const request = await requestTo(operation, place, place.nobody);
      const { status, text } = await exchange(ann.client, { ...request, params: paramsOf(operation) });
      if (status !== 200) faults.push(`${operation.id} ${status} ${text.slice(0, 200)}`);
    }
    expect(faults).toEqual([]);
    expect(reads.length).toBeGreaterThan(20);
  });

  it.each(whoever)('rule A30: %s: every operation on it is 404 and changes nothing', async (name) => {
    const [was, faults, { client, principalId }] = [await snapshot(), [] as string[], caller(name)];
    const operations = served.filter((operation) => isOfThings(operation) && operation.permission !== null);
    for (const operation of operations) {
      const request = await requestTo(operation, place, { ...caller(name), principalId: principalId || ann.id });
      const { status, code, text, details } = await exchange(client, { ...request, params: paramsOf(operation) });
      const absent = await exchange(client, { ...request, params: absentParamsOf(operation) });
      const isHidden =
        text === absent.text &&
        status === 404 &&
        code === 'not_found' &&
        Object.keys(details).length === 0 &&
        !traces().some((trace) => text.includes(trace));
      if (!isHidden) faults.push(`${operation.id} ${status} ${text.slice(0, 200)}; absent: ${absent.text}`);
    }
    expect(faults).toEqual([]);
    expect(operations.length).toBeGreaterThan(50);
    expect(await snapshot()).toBe(was);
  });

  it.each(whoever)('rule A30: %s: what names it in a body is as for what does not exist', async (name) => {
    const { client } = caller(name);
    const input = { content: [{ type: 'text', text: 'x' }] };
    const unknown = 'agent_00000000000000000000000000';
    const sent = (id: string, label: string): [string, string, unknown][] => [
      ['POST', '/v1/agents/invoke', { agent_ref: { id }, input }],
      ['POST', '/v1/agents/invoke', { agent_ref: { name: label }, input }],
      ['POST', '/v1/sessions', { agent_id: id, mode: 'new' }],
      [
        'POST',
        '/v1/routines',
        {
          agent_id: id,
          instructions: 'x',
          schedule: { interval: '24h' },
          per_occurrence_ceiling_milli: 1000,
          daily_ceiling_milli: 10_000,
        },
      ],
    ];
    const other = sent(unknown, unique('none'));
    for (const [index, [method, path, body]] of sent(kept.agent_id ?? '', secret).entries()) {
      const [seen, absent] = [
        await client.send(method, path, { body }),
        await client.send(method, path, { body: other[index]?.[2] }),
      ];
      expect({ path, status: seen.status, body: seen.body }).toEqual({
        path,
        status: absent.status,
        body: absent.body,
      });
    }
    const agent = { name: unique('a'), visibility: 'organization', skill_ids: [kept.skill_id] };
    await client.refused('invalid_argument', 'POST', '/v1/agents', { body: agent });
  });

  it.each(whoever)('rule A30: %s: no list, filter or feed gives it', async (name) => {
    const { client } = caller(name);
    const lists = served.filter(
      ({ method, pathParameters, permission, isStream, id }) =>
        method === 'GET' &&
        pathParameters.length === 0 &&
        permission !== null &&
        !isStream &&
        !ofPrincipals.includes(id),
    );
    const told: string[] = [];
    const look = async (operation: ApiOperation, query: Record<string, string>) => {
      let cursor: string | undefined;
      for (let pages = 0; pages < 200; pages += 1) {
        const request = await requestTo(operation, place, place.nobody);
        const { json, text } = await exchange(client, {
          ...request,
          query: { ...request.query, ...query, ...(cursor === undefined ? {} : { cursor }) },
        });
        const found = traces().filter((trace) => text.includes(trace));
        if (found.length > 0) told.push(`${operation.id} ${JSON.stringify(query)}: ${found.join()}`);
        const page = json as { has_more?: boolean; next_cursor?: string } | null;
        if (!page?.has_more || page.next_cursor === undefined) return;
        cursor = page.next_cursor;
      }
    };
    for (const operation of lists) {
      const limit: Record<string, string> = operation.query.some(({ name: one }) => one === 'limit')
        ? { limit: '100' }
        : {};
      await look(operation, limit);
      for (const { name: filter } of operation.query) {
        const id = filter === 'name' || filter === 'agent_name' ? secret : kept[filter];
        if (id !== undefined) await look(operation, { ...limit, [filter]: id });
      }
    }
    expect(told).toEqual([]);
    expect(lists.length).toBeGreaterThan(15);
  });

  it('rule E7: the feed gives the events of private things to their person alone', async () => {
    const own = await eventsAfter(ann.client, before);
    const types = new Set(
      own.events
        .filter((event) => traces().some((trace) => JSON.stringify(event).includes(trace)))
        .map(({ event_type: type }) => type),
    );
    expect([...types].sort()).toEqual([
      'interaction.created',
      'memory.entry.created',
      'session.message.created',
      'table.row.inserted',
    ]);
    for (const name of whoever) {
      const { events } = await eventsAfter(caller(name).client, before);
      expect(events.filter((event) => traces().some((trace) => JSON.stringify(event).includes(trace)))).toEqual([]);
    }
  });

  it.each(whoever)('rule A30: %s: a name that it holds is taken, and no one says by what', async (name) => {
    const { client } = caller(name);
    const creates = {
      agents: { name: secret, visibility: 'organization' },
      skills: { name: secret, instructions: 'x' },
      actions: { name: secret, endpoint_url: 'https://example.invalid/hook' },
      tables: { ...place.table(), name: table },
    };
    for (const [path, body] of Object.entries(creates))
      expect(await client.refused('already_exists', 'POST', `/v1/${path}`, { body })).toEqual({});
    const resources = { agents: [{ key: 'a', name: secret }], skills: [{ key: 's', name: secret, instructions: 'x' }] };
    for (const mode of ['preview', 'apply'] as const) {
      const details = await client.refused('blueprint_conflict', 'POST', '/v1/blueprints/apply', {
        body: { blueprint_key: unique('bp'), mode, resources },
      });
      expect(details).toMatchObject({ reason: 'unsafe_adoption' });
      expect(JSON.stringify(details)).not.toContain('candidates');
      expect(traces().filter((trace) => JSON.stringify(details).includes(trace))).toEqual([]);
    }
  });

  it.each(whoever)(
    'rule A30: %s: the principal of the agent stays in sight, with its state and roles',
    async (name) => {
      const { client } = caller(name);
      expect(await client.get(`/v1/principals/${kept.agent_id}`)).toMatchObject({
        id: kept.agent_id,
        kind: 'agent',
        state: 'active',
      });
      const { items } = await client.get<{ items: { action: string }[] }>('/v1/audit', { resource_id: kept.agent_id });
      expect(items.map(({ action }) => action)).toContain('agent.created');
      const bob = await person(api);
      await bob.client.refused('not_found', 'GET', `/v1/principals/${kept.agent_id}`);
    },
  );

  it('rule A30: roles of the agent are seen by administrators and by who reaches it, and by no one else', async () => {
    const role = await api.post<{ id: string }>(
      '/v1/roles',
      { name: unique('role'), permissions: ['svc.resource.view'] },
      201,
    );
    const body = { principal_id: kept.agent_id, role_id: role.id };
    const { id } = await api.post<{ id: string }>('/v1/role-assignments', body, 201);
    const bob = await person(api);
    for (const query of [{ principal_id: kept.agent_id }, { role_id: role.id }]) {
      const ids = async (client: Client) =>
        (await client.get<Page<{ id: string }>>('/v1/role-assignments', query)).items.map((item) => item.id);
      expect(await ids(ann.client)).toEqual([id]);
      expect(await ids(caller('an Admin').client)).toEqual([id]);
      expect(await ids(bob.client)).toEqual([]);
    }
    await api.delete(`/v1/role-assignments/${id}`);
  });

  it('rule G1: a page that is followed by what is out of reach alone is the last one', async () => {
    const bob = await person(api);
    const shared = await api.post<Agent>(
      '/v1/agents',
      { name: unique('shared'), visibility: 'organization', model: 'svc-scripted-1' },
      201,
    );
    const lists = {
      sessions: (client: Client) => client.post('/v1/sessions', { agent_id: shared.id, mode: 'new' }),
      routines: (client: Client) =>
        client.post(
          '/v1/routines',
          {
            agent_id: shared.id,
            instructions: 'x',
            schedule: { interval: '24h' },
            per_occurrence_ceiling_milli: 1000,
            daily_ceiling_milli: 10_000,
          },
          201,
        ),
    };
    for (const [list, make] of Object.entries(lists)) {
      const makers = list === 'sessions' ? [ann, bob] : [bob, ann]; // newest first, and oldest first
      for (const { client } of makers) await make(client);
      const page = await bob.client.get<Page<unknown>>(`/v1/${list}`, { agent_id: shared.id, limit: 1 });
      expect([list, page.items.length, page.has_more, page.next_cursor ?? null]).toEqual([list, 1, false, null]);
    }
  });

  it('rule G13: to others the principal of the agent is no principal, wherever a body or a query names one', async () => {
    const [bob, absent] = [await person(api), (kept.agent_id ?? '').replace(/^([a-z]+_.{8}).../, '$1000')];
    const ask = { kind: 'request_information', title: 'x' };
    const review = (id: string) => ({ type: 'any_of', review: { reviewer_user_ids: [id] } });
    const own = await bob.client.post<Agent>('/v1/agents', { name: unique('own'), visibility: 'restricted' }, 201);
    const sent = (id: string): [string, string, unknown][] => [
      ['POST', '/v1/interactions', { ...ask, target_user_ids: [id] }],
      ['POST', '/v1/interactions', { ...ask, target_user_ids: [bob.id], resolution_policy: review(id) }],
      ['POST', '/v1/agents', { name: unique('few'), visibility: 'restricted', members: [id] }],
      ['PATCH', `/v1/agents/${own.id}`, { members: [id] }],
      ['GET', `/v1/agents/${own.id}/visibility-impact?visibility=restricted&members=${id}`, undefined],
    ];
    const others = sent(absent);
    for (const [index, [method, path, body]] of sent(kept.agent_id ?? '').entries()) {
      const other = others[index] ?? [method, path, body];
      const seen = await bob.client.send(method, path, { body });
      const none = await bob.client.send(method, other[1], { body: other[2] });
      const asAbsent = JSON.parse(JSON.stringify(seen.body).replaceAll(kept.agent_id ?? '', absent)) as unknown;
      expect({ path, body, status: seen.status, answer: asAbsent }).toEqual({
        path,
        body,
        status: none.status,
        answer: none.body,
      });
      expect(seen.status).toBeGreaterThanOrEqual(400);
    }
  });

  it('rule A28: of an agent that all share, an administrator reaches the sessions of people', async () => {
    const shared = await api.post<Agent>(
      '/v1/agents',
      { name: unique('shared'), visibility: 'organization', model: 'svc-scripted-1' },
      201,
    );
    const turn = await invoke(ann.client, shared.id, 'hello');
    await settled(ann.client, turn);
    const admin = caller('an Admin').client;
    expect(await admin.get(`/v1/sessions/${turn.session_id}`)).toMatchObject({
      visibility: 'private',
      posture: 'someone_else',
    });
    const bob = await person(api);
    await bob.client.refused('not_found', 'GET', `/v1/sessions/${turn.session_id}`);
  });

  it('rule A30: an agent for named people is out of reach of an administrator who is none of them, and one of the team is within', async () => {
    const bob = await person(api);
    const shared = await ann.client.post<Agent>(
      '/v1/agents',
      { name: unique('few'), visibility: 'restricted', members: [bob.id] },
      201,
    );
    expect((await bob.client.get<Agent>(`/v1/agents/${shared.id}`)).id).toBe(shared.id);
    const admin = caller('an Admin');
    await admin.client.refused('not_found', 'GET', `/v1/agents/${shared.id}`);
    await ann.client.patch(`/v1/agents/${shared.id}`, {
      members: [bob.id, admin.principalId],
      confirm_visibility_change: true,
    });
    expect((await admin.client.get<Agent>(`/v1/agents/${shared.id}`)).id).toBe(shared.id);
    const team = await api.post<Agent>(
      '/v1/agents',
      { name: unique('team'), visibility: 'restricted', members: [bob.id] },
      201,
    );
    expect((await admin.client.get<Agent>(`/v1/agents/${team.id}`)).posture).toBe('team');
  });
});
