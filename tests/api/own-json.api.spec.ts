import { createHash } from 'node:crypto';
import {
  ActionServer,
  type Agent,
  type Artifact,
  Client,
  type Page,
  type Session,
  type SourceEvent,
  type Turn,
  allRows,
  createAgent,
  createSession,
  eventsAfter,
  eventually,
  feedEnd,
  freshTranscript,
  invoke,
  invokeBody,
  person,
  reaches,
  script,
  sendForm,
  settled,
  text,
  unique,
  v1,
  v2,
} from '../harness/index.js';
import { calling, forAction, workerAction } from '../harness/worker-actions.js';
import { TestWorker, endWorkers } from '../harness/worker.js';

/**
 * A caller's own JSON comes back as it was sent, also where it looks like what the service keeps in the place of a
 * large value, or like media.
 */
const api = Client.owner();
type Json = Record<string, unknown>;

/** Of another caller, and over the size that stays in an event. */
const another = `another ${'a'.repeat(70_000)}`;
const realKey = createHash('sha256').update(another).digest('hex');
const media = { type: 'base64', media_type: 'image/png', data: Buffer.from('picture').toString('base64') };
const shapes: [string, Json][] = [
  ['a text', { $blob: 'x' }],
  ['a number', { $blob: 5 }],
  ['more than a reference has', { $blob: realKey, enc: 'json', more: 1 }],
  ['an existing value', { $blob: realKey, enc: 'utf8' }],
  ['an existing value, turned round', { enc: 'utf8', $blob: realKey }],
  ['an existing value as JSON', { $blob: realKey, enc: 'json' }],
  ['a missing value', { $blob: '0'.repeat(64), enc: 'refs' }],
  ['one in another', { $blob: { $blob: realKey, enc: 'utf8' }, enc: 'refs' }],
  ['media', media],
  ['media that is none', { type: 'base64', media_type: 'image/png', data: 'not base 64!' }],
  ['half of media', { type: 'base64', data: 'aGk=' }],
  ['a picture', { type: 'image', source: media }],
  ['a picture that is none', { type: 'image', source: { type: 'base64', data: 'not base 64!' } }],
];
/** All of them in one value. */
const odd: Json = { kind: 'odd', list: shapes.map(([, value]) => value), nested: Object.fromEntries(shapes) };
const values: [string, Json][] = [
  ['a name of the service', { $blob: 'x' }],
  ['a value that another caller has', { $blob: realKey, enc: 'utf8' }],
  ['each of these', odd],
];
/** For members that are not bounded as metadata is. */
const large: [string, Json][] = [
  ['a large text beside them', { ...odd, text: 't'.repeat(70_000) }],
  ['very many of them', { list: Array.from({ length: 800 }, (_, n) => ({ n, $blob: realKey, enc: 'utf8' })), odd }],
];

let agent: Agent;
let server: ActionServer;

beforeAll(async () => {
  server = await ActionServer.start();
  agent = await createAgent(api, { name: unique('own') });
  await invoke(api, agent.id, another); // the key that is forged below names something
});
afterEach(endWorkers);
afterAll(() => server.close());

const selecting = (name: string) => ({ action_selectors: [{ selector_type: 'exact', selector: name }] });
/** The content of the last result of a tool in the transcript. */
const lastResult = async (session: string): Promise<unknown> => {
  const blocks = (await allRows(api, session)).flatMap(({ content }) => content);
  return blocks.findLast(({ type }) => type === 'tool_result')?.content;
};
/** The item of a list with the id of this one. */
async function listed(path: string, wanted: { id?: string; entry_id?: string }): Promise<unknown> {
  for (let cursor: string | undefined; ;) {
    const page = await api.get<Page<{ id?: string; entry_id?: string }>>(path, { limit: 100, cursor });
    const found = page.items.find(({ id, entry_id }) => id === wanted.id && entry_id === wanted.entry_id);
    if (found || !page.next_cursor) return found;
    cursor = page.next_cursor;
  }
}
/** The data of all frames, by both protocols. */
async function followed(session: string) {
  const [first, second] = await Promise.all([v1(api, session, { after_sequence: 0 }), v2(api, session)]);
  await eventually('the frames', () => Promise.resolve(first.frames.length > 2 && second.frames.length > 2));
  const frames = [...first.frames, ...second.frames];
  first.close();
  second.close();
  return frames.map(({ data }) => data);
}

describe.each(values)('a value of up to 16 KiB like %s', (_name, value) => {
  it('is the metadata of a session, in every read', async () => {
    const mark = unique('m');
    const metadata = { ...value, mark };
    const made = await createSession(api, agent.id, { mode: 'new', metadata });
    expect(made.metadata).toEqual(metadata);
    expect((await api.get<Session>(`/v1/sessions/${made.id}`)).metadata).toEqual(metadata);
    const found = await api.get<Page<Session>>('/v1/sessions', { metadata: `mark:${mark}` });
    expect(found.items.map((session) => session.metadata)).toEqual([metadata]);
    expect(await api.patch<Session>(`/v1/sessions/${made.id}`, { metadata: value })).toMatchObject({ metadata: value });
    expect((await api.get<Session>(`/v1/sessions/${made.id}`)).metadata).toEqual(value);
    const invoked = await invoke(api, agent.id, 'x', { session: { mode: 'new', metadata: value } });
    expect(invoked.session.metadata).toEqual(value);
  });

  it('is the metadata of an input, of a row and of a nudge', async () => {
    const ack = await invoke(api, agent.id, script({ wait_ms: 600_000 }), { metadata: value });
    await reaches(api, ack, 'running');
    const path = `/v1/sessions/${ack.session_id}/nudges`;
    const { nudge_id: id } = await api.post<{ nudge_id: string }>(path, { content: 'look', metadata: value }, 202);
    expect((await api.get<{ metadata: Json }>(`${path}/${id}`)).metadata).toEqual(value);
    expect((await api.get<Page<{ metadata: Json }>>(path)).items.map(({ metadata }) => metadata)).toEqual([value]);
    const [row] = await allRows(api, ack.session_id);
    expect(row?.metadata).toEqual(value);
    const cancelled = await api.post<{ metadata: Json }>(`${path}/${id}/cancel`, undefined, 200);
    expect(cancelled.metadata).toEqual(value);
    await api.post(`/v1/sessions/${ack.session_id}/turns/${ack.turn_id}/cancel`, undefined, 200);
    expect([...(await freshTranscript(api, ack.session_id)).messages.values()][0]?.metadata).toEqual(value);
    const shown = (await followed(ack.session_id)).filter((data) => data['metadata'] !== undefined);
    expect(shown.length).toBeGreaterThanOrEqual(2);
    for (const data of shown) expect(data['metadata']).toEqual(value);
  });

  it('is the metadata of an entry of memory, of a principal and of a file', async () => {
    const path = `/v1/agents/${agent.id}/memory/entries`;
    const key = unique('k');
    const entry = await api.put<{ entry_id: string; metadata: Json }>(
      `${path}/${key}`,
      { content: 'c', metadata: value },
      201,
    );
    expect(entry.metadata).toEqual(value);
    expect((await api.get<{ metadata: Json }>(`${path}/${key}`)).metadata).toEqual(value);
    expect(await listed(path, entry)).toEqual(entry);
    const made = await api.post<{ id: string; metadata: Json }>(
      '/v1/principals',
      { name: key, kind: 'human', metadata: value },
      201,
    );
    expect(made.metadata).toEqual(value);
    expect((await api.get<{ metadata: Json }>(`/v1/principals/${made.id}`)).metadata).toEqual(value);
    expect(await listed('/v1/principals', made)).toMatchObject({ metadata: value });
    const answer = await sendForm(api, [
      ['name', key],
      ['metadata', JSON.stringify(value)],
      ['file', Buffer.from('x'), 'x'],
    ]);
    const file = answer.body as Artifact & { metadata: Json };
    expect(file.metadata).toEqual(value);
    expect((await api.get<typeof file>(`/v1/artifacts/${file.id}`)).metadata).toEqual(value);
    expect(await listed('/v1/artifacts', file)).toMatchObject({ metadata: value });
  });

  it('is the metadata and the content of rows that are brought', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const use = { type: 'tool_use', id: 't1', name: 'look', input: value };
    const messages = [
      { role: 'user', content: [text('x')], metadata: value },
      { role: 'assistant', content: [use], metadata: value },
      { role: 'tool', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'seen' }] },
    ];
    await api.post(`/v1/sessions/${id}/messages`, { messages });
    const rows = await allRows(api, id);
    expect(rows.slice(0, 2).map(({ metadata }) => metadata)).toEqual([value, value]);
    expect(rows[1]?.content).toMatchObject([use]);
    const shown = [...(await freshTranscript(api, id)).messages.values()];
    expect(shown.map(({ metadata }) => metadata).slice(0, 2)).toEqual([value, value]);
    expect(shown[1]?.content).toMatchObject([use]);
  });

  it('is what a question holds', async () => {
    const ann = await person(api);
    const fields = {
      kind: 'request_information',
      title: 't',
      target_user_ids: [ann.id],
      context: value,
      properties: value,
    };
    const made = await api.post<{ id: string; context: Json; properties: Json }>('/v1/interactions', fields, 201);
    expect(made).toMatchObject({ context: value, properties: value });
    const answers = [{ question_id: 'response', text: 'x' }];
    const done = await ann.client.post(`/v1/interactions/${made.id}/respond`, { answers }, 200);
    expect(done).toMatchObject({ context: value, properties: value });
    expect(await api.get(`/v1/interactions/${made.id}`)).toMatchObject({ context: value, properties: value });
  });

  it("is an action's schema, a blueprint's too", async () => {
    const schema = { type: 'object', properties: { a: { const: value, default: value } }, examples: [value] };
    const name = unique('act');
    const fields = {
      name,
      endpoint_url: server.at(`/${name}`, () => ({ body: {} })),
      input_schema: schema,
      output_schema: schema,
    };
    const made = await api.post<Json>('/v1/actions', fields, 201);
    expect(made).toMatchObject({ input_schema: schema, output_schema: schema });
    expect(await api.get(`/v1/actions/${name}`)).toMatchObject({ input_schema: schema, output_schema: schema });
    expect(await api.get(`/v1/catalog/actions/${name}`)).toMatchObject({ input_schema: schema, output_schema: schema });
    const key = unique('bp');
    const declared = {
      key: 'a',
      name: key,
      type: 'http',
      endpoint: server.at(`/${key}`, () => ({ body: {} })),
      input_schema: schema,
    };
    const blueprint = { blueprint_key: key, resources: { actions: [declared] } };
    await api.post('/v1/blueprints/apply', blueprint, 200);
    expect(await api.get(`/v1/actions/${key}`)).toMatchObject({ input_schema: schema });
    const again = await api.post<{ changes: { action: string }[] }>('/v1/blueprints/apply', blueprint, 200);
    expect(again.changes).toMatchObject([{ action: 'unchanged' }]);
  });
});

describe.each([...values, ...large])('a value like %s', (_name, value) => {
  it('is a structured output', async () => {
    const body = {
      ...invokeBody(agent.id, script({ say: JSON.stringify(value) })),
      output: { schema: { type: 'object' } },
    };
    const ack = await api.post<{ session_id: string; turn_id: string }>('/v1/agents/invoke', body, 202);
    const done = (await settled(api, ack)) as Turn & { output?: Json };
    expect(done.output).toEqual(value);
    const listed = await api.get<Page<Turn & { output?: Json }>>(`/v1/sessions/${ack.session_id}/turns`);
    expect(listed.items.map(({ output }) => output)).toEqual([value]);
    expect(([...(await freshTranscript(api, ack.session_id)).turns.values()][0] as typeof done).output).toEqual(value);
  });

  it('is a row of a table, by every way', async () => {
    const before = await feedEnd(api);
    const columns = [
      { name: 'id', type: 'string' },
      { name: 'value', type: 'any', default: value },
      { name: 'other', type: 'any' },
    ];
    const name = unique('t').replaceAll('-', '_');
    const table = await api.post<{ id: string; schema: { columns: { default?: unknown }[] } }>(
      '/v1/tables',
      { name, schema: { identity_column: 'id', columns } },
      201,
    );
    expect(table.schema.columns[1]?.default).toEqual(value);
    expect(await api.get(`/v1/tables/${table.id}`)).toEqual(table);
    expect((await api.get<Page<unknown>>('/v1/tables', { name })).items).toEqual([table]);
    const path = `/v1/tables/${table.id}`;
    const data = { id: 'a', value, other: [value] };
    const row = await api.post<{ id: string; data: Json }>(`${path}/rows`, { data }, 201);
    expect(row.data).toEqual(data);
    const preset = await api.post<{ id: string; data: Json }>(`${path}/rows`, { data: { id: 'b' } }, 201);
    expect(preset.data['value']).toEqual(value);
    const changed = await api.patch<{ data: Json }>(`${path}/rows/${row.id}`, { data: { other: value } });
    expect(changed.data).toEqual({ ...data, other: value });
    expect((await api.get<{ data: Json }>(`${path}/rows/${row.id}`)).data).toEqual(changed.data);
    await api.post(`${path}/bulk`, { rows: [{ id: 'c', value, other: value }] }, 201);
    const upserted = await api.post<{ row: { data: Json } }>(`${path}/upsert`, { data: { id: 'c', other: 1 } });
    expect(upserted.row.data).toEqual({ id: 'c', value, other: 1 });
    const rows = await api.post<Page<{ data: Json }>>(`${path}/query`, {}, 200);
    expect(rows.items.map((one) => one.data['value'])).toEqual([value, value, value]);
    const published = await eventually('the events of the rows', async () => {
      const { events } = await eventsAfter(api, before);
      const mine = events.filter(({ event }) => (event as { table_id?: string }).table_id === table.id);
      return mine.length < 5 ? null : mine;
    });
    for (const { event } of published as SourceEvent[]) expect((event as { data: Json }).data['value']).toEqual(value);
  });

  it('is the event of a provider', async () => {
    const before = await feedEnd(api);
    const integration = unique('int');
    const body = { id: unique('e'), event_type: 'crm.deal.won', integration_id: integration, event: value };
    await api.post('/v1/inbound/events', body, 202);
    const found = await eventually('the event', async () =>
      (await eventsAfter(api, before)).events.find(({ source_id: id }) => id === integration),
    );
    expect(found.event).toEqual(value);
  });

  it.each([false, true])('is the input and the output of an action (long-running: %s)', async (isLong) => {
    const name = unique('act');
    const path = `/${name}`;
    const endpoint = server.at(path, () => ({ body: { value } }));
    const declared = { key: 'a', name, type: 'http', endpoint, annotations: { long_running: isLong } };
    await api.post('/v1/blueprints/apply', { blueprint_key: name, resources: { actions: [declared] } }, 200);
    const doer = await createAgent(api, selecting(name));
    const call = { call: { name, input: { value } } };
    const ack = await invoke(api, doer.id, script(call, { read: 'last_tool_result' }));
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    expect(server.on(path).map(({ body }) => body)).toEqual([{ parameters: { value } }]);
    expect(JSON.parse(String(await lastResult(ack.session_id)))).toEqual({ value });
    const rows = await allRows(api, ack.session_id);
    expect(JSON.parse(String(rows.at(-1)?.content[0]?.text))).toEqual({ value });
    expect(rows.flatMap(({ content }) => content).find(({ type }) => type === 'tool_use')).toMatchObject({
      input: { value },
    });
    for (const data of await followed(ack.session_id)) expect(JSON.stringify(data)).not.toContain(another.slice(0, 20));
    if (isLong) return;
    const direct = await api.post<{ output: Json }>(`/v1/actions/${name}/invoke`, { input: { value } });
    expect(direct.output).toEqual({ value });
    const records = await api.get<Page<{ parameters: Json }>>('/v1/action-invocations', { action_name: name });
    const shown = large.some(([, one]) => one === value)
      ? (expect.objectContaining({ truncated: true }) as Json)
      : { value };
    expect(records.items.map(({ parameters }) => parameters)).toEqual([shown, shown]);
  });

  it('is what a worker is given and brings', async () => {
    const made = await workerAction();
    const worker = await TestWorker.register(api, forAction(made));
    const ack = await calling(made, { value });
    const job = await worker.claim();
    expect(job.spec['parameters']).toEqual({ value });
    await worker.report(job, { result: { value } });
    expect(await settled(api, ack)).toMatchObject({ status: 'completed' });
    expect(JSON.parse(String(await lastResult(ack.session_id)))).toMatchObject({ value });
  });
});

describe('tags', () => {
  it('have names like those of a reference', async () => {
    const tags = { $blob: realKey, enc: 'utf8' };
    const made = await createAgent(api, { tags });
    expect(made.tags).toEqual(tags);
    expect((await api.get<Agent>(`/v1/agents/${made.id}`)).tags).toEqual(tags);
  });
});
