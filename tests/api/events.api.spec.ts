import {
  type Expected,
  type SourceEvent,
  Client,
  callerWith,
  converse,
  createAgent,
  envelopeFaults,
  eventsAfter,
  eventually,
  feedEnd,
  feedTells,
  followEvents,
  person,
  scenario,
  script,
  schemaNames,
  toldOf,
  unique,
} from '../harness/index.js';
import { anotherOwner } from '../harness/organizations.js';

const api = Client.owner();
const meta = (event: SourceEvent) => event.meta;
let begin: string;
let expected: Expected;
let told: SourceEvent[];

beforeAll(async () => {
  begin = await feedEnd(api);
  expected = await scenario(api);
  told = await feedTells(api, begin, expected);
});

describe('source events', () => {
  it('E2, E3, E4: every kind is told from its real cause, once, in order, as its schema says', () => {
    expect(toldOf(told, expected)).toEqual(expected);
    expect(told.flatMap(envelopeFaults)).toEqual([]);
    expect(new Set(told.map(({ meta: { id } }) => id)).size).toBe(told.length);
    for (const event of told) {
      expect(Object.keys(event).sort()).toEqual(['event', 'event_type', 'meta', 'source_id', 'source_kind']);
      expect(event.meta).toMatchObject({
        event_type: event.event_type,
        source_kind: event.source_kind,
        source_id: event.source_id,
      });
      expect(meta(event).id).toMatch(/^evt_/);
      for (const [name, value] of Object.entries(meta(event)))
        if (name in event.event && name !== 'received_at') expect(event.event[name]).toEqual(value);
    }
    expect(
      new Set(told.filter(({ source_kind: kind }) => kind !== 'integration').map(({ event_type: type }) => type)),
    ).toEqual(new Set(schemaNames.filter((name) => name !== 'integration')));
  });

  it('R39: the catalog names exactly the events that have a schema', async () => {
    const { items } = await api.get<{
      items: {
        prefix: string;
        kind: string;
        event_types: { name: string; event_schema?: object; meta_schema?: object }[];
      }[];
    }>('/v1/catalog/events');
    const own = items.filter(({ kind }) => kind === 'capability').flatMap(({ event_types: types }) => types);
    expect(own.map(({ name }) => name).sort()).toEqual(schemaNames.filter((name) => name !== 'integration'));
    expect(
      own.every(({ event_schema: event, meta_schema: routing }) => event !== undefined && routing !== undefined),
    ).toBe(true);
    expect(items.find(({ prefix }) => prefix === 'github')?.event_types).toContainEqual({
      name: 'github.issue.opened',
    });
  });

  it('whatever the organization has done so far is told as the schemas say, each event once', async () => {
    const { events } = await eventsAfter(api, undefined);
    expect(events.flatMap(envelopeFaults)).toEqual([]);
    expect(new Set(events.map(({ meta: { id } }) => id)).size).toBe(events.length);
    expect(events.some(({ event_type: type }) => type.startsWith('interaction.http_subscriber'))).toBe(false);
  });

  it('E1: filters hold alone and together, and the cursor of one list leads on in another', async () => {
    const [source = ''] = [...expected].find(([, types]) => types.length === 3) ?? [];
    const [kind] = told.filter(({ source_id: id }) => id === source).map(({ source_kind: of }) => of);
    const list = async (query: Record<string, string | string[]>) => (await eventsAfter(api, begin, query)).events;
    expect((await list({ source_id: source })).map(({ event_type: type }) => type)).toEqual(expected.get(source));
    expect((await list({ source_kind: kind ?? '' })).every(({ source_kind: of }) => of === kind)).toBe(true);
    expect(await list({ source_kind: 'email', source_id: source })).toEqual([]);
    const types = async (...asked: string[]) =>
      new Set((await list({ event_type: asked })).map(({ event_type: type }) => type));
    expect(await types('table.row.*')).toEqual(
      new Set(['table.row.inserted', 'table.row.updated', 'table.row.deleted']),
    );
    expect([...(await types('email.received', 'interaction.*'))].sort()).toEqual([
      'email.received',
      'interaction.created',
      'interaction.resolved',
    ]);
    expect(await types('table.row')).toEqual(new Set());
    const { events, cursor } = await eventsAfter(api, begin, { event_type: 'email.received' });
    expect(events.length).toBeGreaterThan(0);
    expect((await eventsAfter(api, cursor)).events.filter(({ source_id: id }) => expected.has(id))).toEqual([]);
    const at = String(told.at(-1)?.meta.received_at);
    expect((await list({ since: at })).every(({ meta: { received_at: received } }) => String(received) >= at)).toBe(
      true,
    );
  });

  it('G2, G4: pages lead on whatever their size; what is no cursor, limit or time is refused', async () => {
    const sources = [...expected.keys()];
    const one = sources.find((source) => expected.get(source)?.length === 3) ?? '';
    const small: SourceEvent[] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const page: { items: SourceEvent[]; has_more: boolean; next_cursor: string } = await api.get('/v1/events', {
        source_id: one,
        limit: 1,
        cursor,
      });
      small.push(...page.items);
      [cursor, more] = [page.next_cursor, page.has_more];
    }
    expect(small).toEqual(told.filter(({ source_id: id }) => id === one));
    expect(
      (await api.get<{ items: SourceEvent[] }>('/v1/events', { source_id: one, order: 'desc', limit: 2 })).items,
    ).toEqual(small.slice(1));
    const first = { event_type: [String(small[0]?.event_type), 'email.received'], source_id: one, limit: 1 };
    const only = await api.get<{ next_cursor: string }>('/v1/events', first);
    expect(only).toMatchObject({ items: [small[0]], has_more: false });
    const { next_cursor: cursor } = only;
    expect(await api.get('/v1/events', { ...first, cursor })).toMatchObject({ items: [], has_more: false });
    await api.refused('invalid_cursor', 'GET', '/v1/events', { query: { cursor: `${begin}x` } });
    await api.refused('invalid_cursor', 'GET', '/v1/events', { query: { cursor: begin, order: 'desc' } });
    await api.refused('bad_request', 'GET', '/v1/events', { query: { limit: 101 }, invalid: true });
    await api.refused('bad_request', 'GET', '/v1/events', { query: { since: 'yesterday' }, invalid: true });
  });

  it("E7: what is out of reach is skipped: a person's private session, whoever else asks", async () => {
    const [ann, bob] = [await person(api), await person(api)];
    const agent = await ann.client.post<{ id: string }>(
      '/v1/agents',
      { name: unique('own'), model: 'svc-scripted-1', visibility: 'private', owner: { kind: 'person', id: ann.id } },
      201,
    );
    await ann.client.put(`/v1/agents/${agent.id}/memory/entries/k`, { content: 'mine' }, 201);
    const seen = async (client: Client) =>
      (await eventsAfter(client, begin, { event_type: 'memory.entry.created' })).events.some(
        ({ meta: { agent_id: id } }) => id === agent.id,
      );
    await eventually('the owner being told', () => seen(ann.client));
    expect(await seen(bob.client)).toBe(false);
    expect(await seen(await callerWith(api, 'Viewer'))).toBe(false);
  });

  it('I29, E7: who reads the session in which an agent asked is given the question and its end', async () => {
    const [ann, bob, cleo] = [await person(api), await person(api), await person(api)];
    const agent = await createAgent(api, {
      action_selectors: [{ selector_type: 'exact', selector: 'svc.interaction.open' }],
    });
    const question = { kind: 'request_information', title: 'q', target_user_ids: [bob.id] };
    await converse(ann.client, agent.id, script({ call: { name: 'svc_interaction_open', input: question } }));
    const asked = (await bob.client.get<{ items: { id: string }[] }>('/v1/interactions')).items[0]?.id ?? '';
    await bob.client.post(`/v1/interactions/${asked}/respond`, { value: 'a' }, 200);
    const seen = async (client: Client) =>
      (await eventsAfter(client, begin, { source_id: asked })).events.map(({ event_type: type }) => type);
    const both = ['interaction.created', 'interaction.resolved'];
    await eventually('the event for its target', async () => (await seen(bob.client)).length === 2);
    expect(await seen(ann.client)).toEqual(both);
    expect(await seen(cleo.client)).toEqual([]);
    const stream = await followEvents(ann.client, { cursor: begin, source_id: asked });
    try {
      await eventually('both on the stream', async () => stream.frames.length === 2);
      expect(stream.frames.map(({ data }) => data.event_type)).toEqual(both);
    } finally {
      await stream.close();
    }
  });

  it('rule E19: messages of a deleted session leave list and stream, and cursors of before lead past them', async () => {
    const agent = await createAgent(api);
    const place = await feedEnd(api);
    const [gone, kept] = [(await converse(api, agent.id, 'first')).ack, (await converse(api, agent.id, 'second')).ack];
    const sources = async (cursor: string) =>
      (await eventsAfter(api, cursor, { event_type: 'session.message.created' })).events
        .filter(({ meta: { agent_id: id } }) => id === agent.id)
        .map(({ source_id: id }) => id);
    await eventually('both sessions', async () => (await sources(place)).length === 4);
    const page = await api.get<{ next_cursor: string }>('/v1/events', {
      source_id: gone.session_id,
      limit: 1,
      cursor: place,
    });
    await api.delete(`/v1/sessions/${gone.session_id}`);
    expect(await sources(place)).toEqual([kept.session_id, kept.session_id]);
    expect(await sources(page.next_cursor)).toEqual([kept.session_id, kept.session_id]);
    expect((await api.get<{ items: unknown[] }>('/v1/events', { source_id: gone.session_id })).items).toEqual([]);
    const stream = await followEvents(api, { cursor: place });
    try {
      const told = await eventually('the session that is kept', async () => {
        const found = stream.frames.filter(({ data }) => [gone.session_id, kept.session_id].includes(data.source_id));
        return found.length >= 2 ? found : null;
      });
      expect(told.map(({ data }) => data.source_id)).toEqual([kept.session_id, kept.session_id]);
    } finally {
      await stream.close();
    }
  });

  it('AUTH1: another organization sees none of it, not even through a cursor', async () => {
    const other = anotherOwner(unique('Other'));
    await createAgent(other);
    const { events } = await eventually('the other feed', () => eventsAfter(other, undefined));
    expect(events.filter(({ source_id: id }) => expected.has(id))).toEqual([]);
    await other.refused('invalid_cursor', 'GET', '/v1/events', { query: { cursor: begin } });
    expect((await other.send('GET', '/v1/events/stream', { query: { cursor: begin } })).status).toBe(400);
  });
});

describe('pages in bytes', () => {
  it('a page of large events, and one of large messages, ends early; together they hold everything', async () => {
    const agent = await createAgent(api);
    const table = await api.post<{ id: string }>(
      '/v1/tables',
      {
        name: unique('big').replaceAll('-', '_'),
        schema: {
          identity_column: 'id',
          columns: [
            { name: 'id', type: 'string' },
            { name: 'text', type: 'string' },
          ],
        },
      },
      201,
    );
    const place = await feedEnd(api);
    for (let n = 0; n < 44; n += 1)
      await api.post(`/v1/tables/${table.id}/rows`, { data: { id: `r${n}`, text: 'x'.repeat(240 * 1024) } }, 201);
    const pages = await eventually('the large rows', async () => {
      const found: SourceEvent[][] = [];
      for (let cursor = place, more = true; more;) {
        const page: { items: SourceEvent[]; has_more: boolean; next_cursor: string } = await api.get('/v1/events', {
          event_type: 'table.row.inserted',
          limit: 100,
          cursor,
        });
        found.push(page.items.filter(({ meta: { table_id: id } }) => id === table.id));
        [cursor, more] = [page.next_cursor, page.has_more];
      }
      return found.flat().length === 44 ? found : null;
    });
    expect(Math.max(...pages.map((page) => JSON.stringify(page).length))).toBeLessThan(9 * 1024 * 1024);
    expect(pages.flat().map(({ event }) => event['identity'])).toEqual(Array.from({ length: 44 }, (_, n) => `r${n}`));
    const image = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(3 * 1024 * 1024)]).toString(
      'base64',
    );
    const { id } = await api.post<{ id: string }>('/v1/sessions', { agent_id: agent.id, mode: 'new' }, 200);
    for (let n = 0; n < 4; n += 1) {
      await api.post(`/v1/sessions/${id}/messages`, {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: `${n}` },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } },
            ],
          },
        ],
      });
    }
    const sizes: number[] = [];
    const sequences: number[] = [];
    for (let after = 0, more = true; more;) {
      const { body, text } = await api.call<{ items: { sequence: number }[]; has_more: boolean }>(
        'GET',
        `/v1/sessions/${id}/messages`,
        { query: { after_sequence: after, limit: 100 } },
      );
      sizes.push(text.length);
      sequences.push(...body.items.map(({ sequence }) => sequence));
      [after, more] = [sequences.at(-1) ?? 0, body.has_more];
    }
    expect(sequences).toEqual([1, 2, 3, 4]);
    expect(Math.max(...sizes)).toBeLessThan(9 * 1024 * 1024);
    expect(sizes.length).toBeGreaterThan(1);
  });
});

test('E1, E4: the stream tells the same, with the positions of the list', async () => {
  const stream = await followEvents(api, { cursor: begin });
  try {
    const frames = await eventually('the frames', async () => {
      const found = stream.frames.filter(({ data }) => expected.has(data.source_id));
      return found.length >= told.length ? found : null;
    });
    expect(frames.map(({ data }) => data)).toEqual(told);
    expect(frames.every(({ event, data }) => event === data.event_type)).toBe(true);
    const middle = frames[Math.floor(frames.length / 2)];
    expect((await eventsAfter(api, middle?.id)).events.filter(({ source_id: id }) => expected.has(id))).toEqual(
      told.slice(Math.floor(frames.length / 2) + 1),
    );
  } finally {
    await stream.close();
  }
});
