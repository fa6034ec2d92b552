import { WebSocket } from 'ws';
import { is, verifyDelivery, type ApiError, type JsonObject } from '@aos/client';
import {
  type Agent,
  ActionServer,
  Client,
  createAgent,
  eventually,
  person,
  script,
  serviceFor,
  unique,
  timeFor,
} from '../harness/index.js';

const api = Client.owner();
const svc = serviceFor(api);
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api);
});

describe('resources', () => {
  it('are created, read, changed, listed over all pages and deleted', async () => {
    const name = unique('skill');
    const made = await svc.skills.create({ name, instructions: 'Be kind.' });
    expect(await svc.skills.get(made.id)).toMatchObject({ id: made.id, name });
    const columns = [
      { name: 'k', type: 'string' as const },
      { name: 'n', type: 'number' as const },
    ];
    const tables = await Promise.all(
      ['a', 'b', 'c'].map(() =>
        svc.tables.create({ name: unique('t').replace('-', '_'), schema: { columns, identity_column: 'k' } }),
      ),
    );
    const [table] = tables;
    for (let n = 0; n < 5; n += 1) await svc.tables.createRow(table?.id ?? '', { data: { k: `row-${n}`, n } });
    const rows = await svc.tables.queryRows(table?.id ?? '', { limit: 2 }).all();
    expect(rows.map(({ data }) => data['n'])).toEqual([0, 1, 2, 3, 4]);
    const listed = await svc.tables.list({ limit: 1 }).all();
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(tables.map(({ id }) => id)));
    await expect(svc.skills.delete(made.id)).resolves.toBeUndefined();
    await expect(svc.skills.get(made.id)).rejects.toMatchObject({ code: 'not_found', status: 404 });
  });

  it('that have no method are reached by method and path', async () => {
    await expect(svc.request('GET', '/v1/agents', { query: { name: agent.name } })).resolves.toMatchObject({
      items: [{ id: agent.id }],
    });
    const response = await svc.response('GET', '/v1/me');
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });
});

describe('errors', () => {
  it('have code, status, details and the id of the request', async () => {
    const error: unknown = await svc.agents.get('agent_none').catch((caught: unknown) => caught);
    expect(is.notFound(error)).toBe(true);
    expect((error as ApiError).requestId).toMatch(/^[\w.-]+$/);
    await expect(serviceFor({ ...api, baseUrl: api.baseUrl, key: 'wrong' }).me.get()).rejects.toMatchObject({
      code: 'unauthorized',
      status: 401,
    });
    const run = svc.invoke(agent.id, script({ wait_ms: 600_000 }, { say: 'late' }), { session: unique('ses') });
    const { session } = await run.started;
    const second = await svc
      .invoke(agent.id, 'me too', { session: session.session_key })
      .done()
      .catch((caught: unknown) => caught);
    expect(is.sessionTurnActive(second) && second.details).toMatchObject({ turn_id: (await run.started).turn_id });
    await expect(run.cancel()).resolves.toMatchObject({ status: 'cancelled' });
  });
});

describe('an invocation', () => {
  it('gives its text as it is written, and its final turn', async () => {
    const run = svc.invoke(agent.name, 'Count: tokens=8 every=20', { session: unique('ses') });
    const pieces: string[] = [];
    for await (const piece of run.text()) pieces.push(piece);
    expect(pieces.join('')).toBe('tok0 tok1 tok2 tok3 tok4 tok5 tok6 tok7 ');
    expect(await run.done()).toMatchObject({ status: 'completed', usage: { calls: 1 } });
  });

  it('gives a failed turn as any other', async () => {
    const run = svc.invoke({ id: agent.id }, script({ error: { type: 'model_unavailable', message: 'gone' } }), {
      session: unique('ses'),
    });
    await expect(run.done()).resolves.toMatchObject({ status: 'failed' });
  });

  it('is the same turn under its key, and a session of its own is opened once', async () => {
    const options = { session: { mode: 'new' as const }, key: unique('key') };
    const first = await svc.invoke(agent.id, 'hello', options).started;
    const other = await svc.invoke(agent.id, 'hello', options).started;
    expect(other.session_id).not.toBe(first.session_id);
    const session = unique('ses');
    const one = await svc.invoke(agent.id, 'hello', { session, key: 'k' }).done();
    const again = svc.invoke(agent.id, 'hello', { session, key: 'k' });
    expect((await again.started).deduped).toBe(true);
    expect(await again.done()).toMatchObject({ id: one.id, status: 'completed' });
  });

  it('is nudged while it runs', async () => {
    const run = svc.invoke(agent.id, script({ wait_ms: 500 }, { say: 'done' }), { session: unique('ses') });
    await run.started;
    expect(await run.nudge('Faster.')).toMatchObject({ nudge_id: expect.any(String) as string });
    expect(await run.done()).toMatchObject({ status: 'completed' });
  });

  it('shows the questions that it asks, and goes on when they are answered', async () => {
    const { id, client } = await person(api);
    const selector = 'svc.interaction.open';
    const asks = await createAgent(api, { action_selectors: [{ selector_type: 'exact', selector }] });
    const input = { kind: 'request_approval', title: 'May I?', target_user_ids: [id] };
    const run = svc.invoke(
      asks.id,
      script({ call: { name: 'svc_interaction_open', input } }, { wait_ms: await timeFor(api, 8) }, { say: 'thanks' }),
      { session: unique('ses') },
    );
    const answered: string[] = [];
    for await (const asked of run.questions()) {
      expect(asked).toMatchObject({ title: 'May I?', status: 'pending' });
      await serviceFor(client).interactions.respond(asked.id, { value: true });
      answered.push(asked.id);
    }
    expect(answered).toHaveLength(1);
    expect(await run.done()).toMatchObject({ status: 'completed' });
  });

  it('leaves out the questions of other turns of its session', async () => {
    const { id } = await person(api);
    const session = unique('ses');
    const { id: before } = await svc.invoke(agent.id, 'hello', { session }).done();
    const run = svc.invoke(agent.id, script({ wait_ms: await timeFor(api, 8) }, { say: 'done' }), { session });
    const { turn_id } = await run.started;
    const asked: string[] = [];
    const reading = (async () => {
      for await (const { title } of run.questions()) asked.push(title);
    })();
    const ask = (title: string, invocation_id: string) =>
      svc.interactions.create({
        kind: 'request_approval',
        title,
        target_user_ids: [id],
        consumer: { kind: 'agent_tool', agent_tool: { invocation_id, tool_call_id: 'c' } },
      });
    await ask('of the turn before', before);
    await ask('of this turn', turn_id);
    await reading;
    expect(asked).toEqual(['of this turn']);
  });
});

describe('a transcript', () => {
  it('is read whole, changes as the session does, and ends when it is closed', async () => {
    const { id } = await svc.sessions.create({ agent_id: agent.id, session_key: unique('ses') });
    await svc.turns.start(id, { input: { content: [{ type: 'text', text: 'first' }] } });
    const transcript = svc.sessions.transcript(id);
    await transcript.ready;
    let changes = 0;
    const stop = transcript.subscribe(() => {
      changes += 1;
    });
    await eventually('the first turn', async () => transcript.turns.some(({ status }) => status === 'completed'));
    await svc.turns.start(id, { input: { content: [{ type: 'text', text: 'second' }] } });
    await eventually(
      'the second turn',
      async () => transcript.turns.filter((one) => one.status === 'completed').length === 2,
    );
    const { messages } = await svc.sessions.getTranscript(id);
    expect(transcript.messages).toEqual(messages);
    expect(transcript.messages).toBe(transcript.messages);
    expect(changes).toBeGreaterThan(0);
    stop();
    transcript.close();
    expect(transcript.error).toBeNull();
  });

  it('says why it could not be read', async () => {
    const transcript = svc.sessions.transcript('ses_none');
    await expect(transcript.ready).rejects.toMatchObject({ code: 'not_found' });
    expect(transcript.error).toMatchObject({ code: 'not_found' });
  });
});

describe('events', () => {
  it('are those from now on, also for a reader whose clock is behind', async () => {
    const event_type = ['session.message.created'];
    const { id } = await svc.sessions.create({ agent_id: agent.id, session_key: unique('ses') });
    const say = (text: string) => svc.turns.start(id, { input: { content: [{ type: 'text', text }] } });
    const kept = async () => (await svc.events.list({ event_type, source_id: id }).all()).length;
    await say('before');
    await eventually('the turn before', async () => (await kept()) >= 2);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 7_200_000);
    let state = '';
    const follower = svc.events.follow({ event_type, source_id: id, connection: (now) => (state = now) });
    const first = follower[Symbol.asyncIterator]().next();
    await eventually('the stream', async () => state === 'open');
    clock.mockRestore();
    await say('from now on');
    expect(JSON.stringify(await first)).toContain('from now on');
    follower.close();
  });
});

describe('a worker', () => {
  const sockets = { WebSocket: WebSocket as never };
  const workerAction = async () => {
    const name = unique('work');
    await svc.actions.create({ name, endpoint_kind: 'worker' });
    return name;
  };
  const worked = (name: string, input: JsonObject) =>
    eventually('the worker to be there', () => svc.actions.invoke(name, { input }));

  it('carries out jobs, says what failed, and drains', async () => {
    const name = await workerAction();
    const worker = svc.worker({
      ...sockets,
      actions: {
        [name]: async (input, { deliveryId, progress }) => {
          progress({ step: 1 });
          if (input['fail'] === true) throw new Error('no paper');
          return { said: `Hello ${String(input['name'])}`, known: deliveryId !== '' };
        },
      },
    });
    expect(await worked(name, { name: 'Ada' })).toMatchObject({ output: { said: 'Hello Ada', known: true } });
    expect(JSON.stringify(await worked(name, { fail: true }))).toContain('no paper');
    await worker.drain();
  });

  it('fails a job whose output is nested deeper than the service takes, and does it once', async () => {
    const name = await workerAction();
    let runs = 0;
    const nested = (levels: number): JsonObject => (levels === 0 ? {} : { in: nested(levels - 1) });
    const worker = svc.worker({ ...sockets, actions: { [name]: () => nested(100 * ++runs) } });
    expect(JSON.stringify(await worked(name, {}))).toContain('does not take the output');
    await worker.drain();
    expect(runs).toBe(1);
  });

  it('ends with the reason when its key may not work', async () => {
    const { client } = await person(api);
    const worker = serviceFor(client).worker({ ...sockets, actions: {} });
    await expect(worker.done).rejects.toMatchObject({ status: 403, code: 'permission_denied' });
  });
});

describe('a delivery', () => {
  it('of the service is verified, and no other', async () => {
    const server = await ActionServer.start();
    const name = unique('act');
    const endpoint_url = server.at(`/${name}`, () => ({ body: { ok: true } }));
    const made = await svc.actions.create({ name, endpoint_url });
    await svc.actions.invoke(name, { input: { sum: 3 } });
    const [got] = server.on(`/${name}`);
    await server.close();
    const request = { headers: got?.headers ?? {}, body: got?.raw ?? '' };
    await expect(verifyDelivery(request, String(made.signing_secret))).resolves.toMatchObject({
      id: got?.headers['idempotency-key'],
      body: got?.body,
    });
    await expect(verifyDelivery(request, 'another secret')).rejects.toThrow('does not fit');
    await expect(
      verifyDelivery({ ...request, body: `${String(got?.raw)} ` }, String(made.signing_secret)),
    ).rejects.toThrow('does not fit');
  });
});
