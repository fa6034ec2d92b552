import { randomUUID } from 'node:crypto';
import { quickest } from '@aos/kernel/testing';
import {
  type Agent,
  Client,
  type IssuedKey,
  type Page,
  type Session,
  type TurnAck,
  allRows,
  anotherOwner,
  cancelTurn,
  createAgent,
  createSession,
  endlessScript,
  eventually,
  invoke,
  invokeBody,
  issueKey,
  openStream,
  person,
  rawRequest,
  said,
  script,
  settled,
  startTurn,
  text,
  unique,
  v1,
  v2,
} from '../harness/index.js';
import { Place, pathOf, requestTo, servedOperations } from '../harness/generators/index.js';

const api = Client.owner();
const withinMs = 1_000;
/** A key that is to end is used before that, also on a slow machine. */
const livesMs = 6_000;
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('tokens') });
});

type Verb = 'read' | 'invoke' | 'nudge' | 'answer';
const everyVerb: Verb[] = ['read', 'invoke', 'nudge', 'answer'];

interface Issued {
  token: string;
  expires_at: string;
}

const issue = (client: Client, body: Record<string, unknown>): Promise<Issued> =>
  client.post<Issued>('/v1/tokens', { verbs: everyVerb, ttl_seconds: 300, ...body }, 201);
const tokenOf = async (client: Client, body: Record<string, unknown>): Promise<Client> =>
  client.as((await issue(client, body)).token);
const endUser = (name: string, body: Record<string, unknown> = {}, client = api): Promise<Client> =>
  tokenOf(client, { agent_id: agent.id, end_user: name, ...body });
const named = (sessionIds: string[], verbs: Verb[] = everyVerb, client = api): Promise<Client> =>
  tokenOf(client, { session_ids: sessionIds, verbs });

describe('rule A37: issuing a token', () => {
  it('takes a key with use, and answers with the token and its end', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const before = Date.now();
    const { token, expires_at } = await issue(api, { session_ids: [id], verbs: ['read'], ttl_seconds: 60 });
    expect(token).toMatch(/^svct_[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
    expect(Date.parse(expires_at) - before).toBeGreaterThanOrEqual(59_000);
    expect(Date.parse(expires_at) - before).toBeLessThan(65_000);
    expect(token).not.toContain(id);
    const { key } = await issueKey(api, 'Viewer');
    await api
      .as(key)
      .refused('permission_denied', 'POST', '/v1/tokens', {
        body: { session_ids: [id], verbs: ['read'], ttl_seconds: 60 },
      });
  });

  it.each([
    ['no reach', {}],
    ['no end user', { agent_id: 'x' }],
    ['no agent', { end_user: 'x' }],
    ['both ways', { agent_id: 'x', end_user: 'x', session_ids: ['ses_x'] }],
    ['half of the other way', { end_user: 'x', session_ids: ['ses_x'] }],
    ['no session', { session_ids: [] }],
    ['21 sessions', { session_ids: Array.from({ length: 21 }, (_, n) => `ses_${n}`) }],
    ['an empty end user', { agent_id: 'x', end_user: '' }],
    ['an end user of 129 characters', { agent_id: 'x', end_user: 'x'.repeat(129) }],
    ['no verb', { session_ids: ['ses_x'], verbs: [] }],
    ['another verb', { session_ids: ['ses_x'], verbs: ['write'] }],
    ['59 seconds', { session_ids: ['ses_x'], ttl_seconds: 59 }],
    ['3601 seconds', { session_ids: ['ses_x'], ttl_seconds: 3601 }],
    ['11 origins', { session_ids: ['ses_x'], origins: Array.from({ length: 11 }, (_, n) => `https://${n}.example`) }],
    ['an unknown member', { session_ids: ['ses_x'], origin: 'https://a.example' }],
  ])('refuses %s', async (_name, body) => {
    await api.refused('bad_request', 'POST', '/v1/tokens', {
      body: { verbs: ['read'], ttl_seconds: 60, ...body },
      invalid: true,
    });
  });

  it('takes bounds as they are written: 20 sessions, 128 characters, an hour', async () => {
    await issue(api, { session_ids: Array.from({ length: 20 }, (_, n) => `ses_${n}`), ttl_seconds: 3_600 });
    await issue(api, { agent_id: agent.id, end_user: '€'.repeat(128), ttl_seconds: 60 });
  });

  it('refuses an origin that the service does not let in, and an agent out of reach', async () => {
    const body = { agent_id: agent.id, end_user: 'x', verbs: ['read'], ttl_seconds: 60 };
    const details = await api.refused('invalid_argument', 'POST', '/v1/tokens', {
      body: { ...body, origins: ['https://nowhere.example'] },
    });
    expect(details['argument']).toBe('origins');
    const { client } = await person(api);
    const hidden = await createAgent(client, { visibility: 'private' });
    for (const asking of [api, anotherOwner(unique('Other'))])
      await asking.refused('not_found', 'POST', '/v1/tokens', { body: { ...body, agent_id: hidden.id } });
  });

  it('leaves an audit entry of who made it, without its text or the name of the end user', async () => {
    const id = `token-${randomUUID()}`;
    const end_user = unique('audited');
    const { body, text: sent } = await api.call<Issued>('POST', '/v1/tokens', {
      body: { agent_id: agent.id, end_user, verbs: ['read'], ttl_seconds: 60 },
      headers: { 'x-request-id': id },
    });
    expect(sent).toContain(body.token);
    const entry = await eventually('the entry', async () => {
      const page = await api.call<Page<{ request_id: string }>>('GET', '/v1/audit', {
        query: { action: 'token.issued', limit: 20 },
      });
      expect(page.text).not.toContain(body.token.slice(5));
      expect(page.text).not.toContain(end_user);
      return page.body.items.find((one) => one.request_id === id) ?? null;
    });
    expect(entry).toMatchObject({
      action: 'token.issued',
      resource: { type: 'token', id: expect.stringMatching(/^tok_/) as string },
      actor: { api_key_id: expect.stringMatching(/^cred_/) as string },
    });
  });
});

describe('rule A38: what a token may do', () => {
  it('an end user opens sessions, has turns and reads them, under a key that says nothing', async () => {
    const ann = await endUser(unique('ann'));
    const session = await createSession(ann, agent.id);
    expect(session.session_key).toMatch(/^token:[a-z0-9]{26}$/);
    const ack = await invoke(ann, agent.id, 'hello', { session: {} });
    expect(ack.session_id).toBe(session.id);
    await settled(ann, ack);
    expect((await createSession(ann, agent.id, { session_key: 'default' })).id).toBe(session.id);
    expect((await allRows(ann, session.id)).map(said)).toEqual(['hello', 'You said: hello']);
    await settled(ann, await startTurn(ann, session.id, 'again'));
    const other = await createSession(ann, agent.id, { session_key: 'other' });
    expect(other.id).not.toBe(session.id);
    const fresh = await createSession(ann, agent.id, { mode: 'new' });
    expect(new Set([session.id, other.id, fresh.id]).size).toBe(3);
    await ann.get(`/v1/sessions/${fresh.id}`);
    await ann.refused('session_key_conflict', 'POST', '/v1/sessions', {
      body: { agent_id: agent.id, mode: 'new', session_key: 'other' },
    });
  });

  it('two end users of one name of session see nothing of each other', async () => {
    const [ann, bob] = [await endUser(unique('ann')), await endUser(unique('bob'))];
    const secrets = ['a word of Ann', 'a word of Bob'];
    const sessions: Session[] = [];
    for (const [n, client] of [ann, bob].entries()) {
      const ack = await invoke(client, agent.id, secrets[n] ?? '', { session: { session_key: 'mine' } });
      await settled(client, ack);
      sessions.push(await client.get<Session>(`/v1/sessions/${ack.session_id}`));
    }
    const [anns, bobs] = sessions as [Session, Session];
    expect(anns.id).not.toBe(bobs.id);
    expect(anns.session_key).not.toBe(bobs.session_key);
    for (const [client, own, other] of [
      [ann, anns, bobs],
      [bob, bobs, anns],
    ] as const) {
      const rows = (await allRows(client, own.id)).map(said).join();
      expect(rows).toContain(secrets[own === anns ? 0 : 1]);
      expect(rows).not.toContain(secrets[own === anns ? 1 : 0]);
      for (const path of [
        '',
        '/messages',
        '/turns',
        '/transcript',
        '/transcript/stream',
        '/stream',
        '/nudges',
      ] as const)
        await client.refused('not_found', 'GET', `/v1/sessions/${other.id}${path}`);
      await client.refused('not_found', 'POST', `/v1/sessions/${other.id}/turns`, {
        body: { input: { content: [text('x')] } },
      });
      await client.refused('not_found', 'POST', `/v1/sessions/${other.id}/nudges`, { body: { content: 'x' } });
      await client.refused('not_found', 'POST', `/v1/sessions/${other.id}/cancel`);
      await client.refused('not_found', 'GET', '/v1/interactions', { query: { session_id: other.id } });
      // the other's key is a name like any other
      const byKey = await createSession(client, agent.id, { session_key: other.session_key });
      expect(byKey.id).not.toBe(other.id);
    }
  });

  it('the same end user has one set of sessions for each principal', async () => {
    const name = unique('shared');
    const { client } = await person(api);
    const [ours, theirs] = [await endUser(name), await endUser(name, {}, client)];
    const session = await createSession(ours, agent.id);
    expect((await createSession(await endUser(name), agent.id)).id).toBe(session.id);
    expect((await createSession(theirs, agent.id)).id).not.toBe(session.id);
    await theirs.refused('not_found', 'GET', `/v1/sessions/${session.id}`);
  });

  it('an end user reaches no session that no token opened, and no other agent, by id or by name', async () => {
    const ann = await endUser(unique('ann'));
    const plain = await createSession(api, agent.id, { mode: 'new' });
    await ann.refused('not_found', 'GET', `/v1/sessions/${plain.id}`);
    const other = await createAgent(api);
    for (const body of [invokeBody(other.id, 'x'), { ...invokeBody(other.id, 'x'), agent_ref: { name: other.name } }])
      await ann.refused('not_found', 'POST', '/v1/agents/invoke', { body });
    await ann.refused('not_found', 'POST', '/v1/sessions', { body: { agent_id: other.id } });
  });

  it('named sessions are reached, others are not, and none are opened', async () => {
    const [one, two, three] = await Promise.all([0, 1, 2].map(() => createSession(api, agent.id, { mode: 'new' })));
    const token = await named([one?.id ?? '', two?.id ?? '']);
    for (const session of [one, two]) await settled(token, await startTurn(token, session?.id ?? '', 'hello'));
    await token.refused('not_found', 'GET', `/v1/sessions/${three?.id ?? ''}`);
    await token.refused('permission_denied', 'POST', '/v1/agents/invoke', {
      body: invokeBody(agent.id, 'x', { session: {} }),
    });
    await token.refused('permission_denied', 'POST', '/v1/sessions', { body: { agent_id: agent.id } });
  });

  it('does not reach what its key does not: private sessions of others, other organizations', async () => {
    const { client: ann } = await person(api);
    const { client: bob } = await person(api);
    const { id } = await createSession(ann, agent.id, { mode: 'new' });
    await (await named([id], everyVerb, ann)).get(`/v1/sessions/${id}`);
    await (await named([id], everyVerb, bob)).refused('not_found', 'GET', `/v1/sessions/${id}`);
    const stranger = await named([id], everyVerb, anotherOwner(unique('Other')));
    await stranger.refused('not_found', 'GET', `/v1/sessions/${id}`);
  });

  const allowed: Record<string, Verb> = {
    getSession: 'read',
    listSessionMessages: 'read',
    listTurnMessages: 'read',
    listSessionTurns: 'read',
    getSessionTurn: 'read',
    getSessionTurnLive: 'read',
    streamSession: 'read',
    getSessionTranscript: 'read',
    streamSessionTranscript: 'read',
    listSessionNudges: 'read',
    getSessionNudge: 'read',
    listInteractions: 'read',
    getInteraction: 'read',
    startTurn: 'invoke',
    cancelTurn: 'invoke',
    cancelSession: 'invoke',
    createSession: 'invoke',
    invokeAgent: 'invoke',
    nudgeSession: 'nudge',
    cancelNudge: 'nudge',
    respondToInteraction: 'answer',
  };

  it.each(['none of these', ...everyVerb] as const)(
    '%s: every operation that needs it is 403 for a token without',
    async (verb) => {
      const place = new Place(api);
      const others = everyVerb.filter((one) => one !== verb);
      const token = await endUser(unique('narrow'), { verbs: verb === 'none of these' ? ['read'] : others });
      const faults: string[] = [];
      for (const operation of await servedOperations(api)) {
        if (operation.permission === null) continue;
        const needed = allowed[operation.id];
        const isDenied = needed === undefined || (verb === 'none of these' ? needed !== 'read' : needed === verb);
        if (!isDenied) continue;
        const request = await requestTo(operation, place, place.nobody);
        const { status, text: answer } = await rawRequest(token, operation.method, pathOf(request), {
          headers: { 'content-type': 'application/json' },
          ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        });
        if (status !== 403 || !answer.includes('permission_denied')) faults.push(`${operation.id} ${status} ${answer}`);
      }
      await place.close();
      expect(faults).toEqual([]);
    },
  );

  it('lists, feeds, memory, tables, actions and configuration are 403 with every verb, and so is a token', async () => {
    const ann = await endUser(unique('ann'));
    const { id } = await createSession(ann, agent.id);
    for (const [method, path] of [
      ['GET', '/v1/sessions'],
      ['GET', '/v1/turns'],
      ['GET', '/v1/interactions'],
      ['GET', '/v1/events'],
      ['GET', '/v1/events/stream'],
      ['GET', '/v1/tables'],
      ['GET', '/v1/agents'],
      ['GET', `/v1/agents/${agent.id}`],
      ['GET', `/v1/agents/${agent.id}/memory/entries`],
      ['GET', '/v1/me'],
      ['GET', '/v1/api-keys'],
      ['GET', '/v1/audit'],
      ['PATCH', `/v1/sessions/${id}`],
      ['DELETE', `/v1/sessions/${id}`],
      ['POST', `/v1/sessions/${id}/compact`],
      ['POST', `/v1/sessions/${id}/messages`],
    ] as const)
      await ann.refused('permission_denied', method, path, {
        invalid: true,
        ...(method === 'PATCH' ? { body: {} } : {}),
      });
    await ann.refused('permission_denied', 'POST', '/v1/tokens', {
      body: { session_ids: [id], verbs: ['read'], ttl_seconds: 60 },
    });
    expect((await ann.get<Page<unknown>>('/v1/interactions', { session_id: id })).items).toEqual([]);
  });

  it('a stream as the answer of a POST is read as well', async () => {
    const body = invokeBody(agent.id, 'hello', { session: {} });
    const headers = { accept: 'text/event-stream' };
    const writer = await endUser(unique('writer'), { verbs: ['invoke'] });
    await writer.refused('permission_denied', 'POST', '/v1/agents/invoke', { body, headers });
    const reader = await endUser(unique('reader'), { verbs: ['invoke', 'read'] });
    const stream = await openStream(reader, '/v1/agents/invoke', { method: 'POST', body, protocol: 'v1' });
    await stream.until('the end of the turn', ({ event }) => event === 'turn.completed');
    stream.close();
  });
});

describe('rule A38: questions', () => {
  it('are answered by their target alone, in sessions within reach', async () => {
    const [ann, bob] = [await person(api), await person(api)];
    const asking = (target: string) =>
      script(
        {
          call: {
            name: 'svc_interaction_open',
            input: {
              kind: 'request_information',
              title: 'q',
              target_user_ids: [target],
              spec: { questions: [{ id: 'q', prompt: 'p', mode: 'input' }] },
            },
          },
        },
        { say: 'asked' },
      );
    const asked = await createAgent(api, {
      action_selectors: [{ selector_type: 'group', selector: 'svc.interaction' }],
    });
    const question = async (target: string) => {
      const ack = await invoke(ann.client, asked.id, asking(target));
      const found = await eventually('the question', async () => {
        const query = { session_id: ack.session_id };
        const { items } = await ann.client.get<Page<{ id: string }>>('/v1/interactions', query);
        return items[0] ?? null;
      });
      return { ...found, session_id: ack.session_id };
    };
    const body = { answers: [{ question_id: 'q', text: 'an answer' }] };
    const toAnn = await question(ann.id);
    const respond = (token: Client, id: string) => [token, `/v1/interactions/${id}/respond`] as const;
    const elsewhere = await createSession(ann.client, asked.id, { mode: 'new' });
    const [far, path] = respond(await named([elsewhere.id], everyVerb, ann.client), toAnn.id);
    await far.refused('not_found', 'POST', path, { body });
    await far.refused('not_found', 'GET', `/v1/interactions/${toAnn.id}`);
    const near = await named([toAnn.session_id], ['read', 'answer'], ann.client);
    expect((await near.get<Page<{ id: string }>>('/v1/interactions', { session_id: toAnn.session_id })).items).toEqual([
      expect.objectContaining({ id: toAnn.id }),
    ]);
    await near.refused('permission_denied', 'POST', `/v1/interactions/${toAnn.id}/cancel`, { body: {} });
    await near.post(path, body, 200);
    const toBob = await question(bob.id);
    const notMine = await named([toBob.session_id], everyVerb, ann.client);
    await notMine.refused('not_interaction_target', 'POST', `/v1/interactions/${toBob.id}/respond`, { body });
    await bob.client.post(`/v1/interactions/${toBob.id}/respond`, body, 200);
  });
});

describe('rule A39: the end of a token', () => {
  const ownKey = (client: Client): Promise<IssuedKey> =>
    client.post<IssuedKey>('/v1/api-keys', { name: unique('key'), role: 'User' }, 201);

  it('comes with its key within a second, on open streams too', async () => {
    const took = await quickest(withinMs, async () => {
      const { id, key } = await ownKey(api);
      const token = await endUser(unique('ann'), {}, api.as(key));
      const session = await createSession(token, agent.id);
      const ack: TurnAck = await invoke(token, agent.id, endlessScript, { session: {} });
      const streams = await Promise.all([v1(token, session.id), v2(token, session.id)]);
      await api.delete(`/v1/api-keys/${id}`);
      const revokedAt = performance.now();
      await Promise.all(streams.map((stream) => stream.over()));
      const overAt = performance.now();
      await token.refused('unauthorized', 'GET', `/v1/sessions/${session.id}`);
      await cancelTurn(api, ack);
      return overAt - revokedAt;
    });
    expect(took).toBeLessThan(withinMs);
  });

  it('comes when the key ends, though the token would last longer', async () => {
    const late = await quickest(withinMs, async () => {
      const expires_at = new Date(Date.now() + livesMs).toISOString();
      const { key } = await api.post<IssuedKey>('/v1/api-keys', { name: unique('key'), role: 'User', expires_at }, 201);
      const token = await endUser(unique('ann'), {}, api.as(key));
      const session = await createSession(token, agent.id);
      const ack = await invoke(token, agent.id, endlessScript, { session: {} });
      await (await v2(token, session.id)).over();
      const ended = Date.now() - Date.parse(expires_at);
      expect(ended).toBeGreaterThanOrEqual(0);
      await token.refused('unauthorized', 'GET', `/v1/sessions/${session.id}`);
      await cancelTurn(api, ack);
      return ended;
    });
    expect(late).toBeLessThan(withinMs);
  });

  it('comes with what the key lost: use of a key that may only view any more', async () => {
    const role = await api.post<{ id: string }>(
      '/v1/roles',
      { name: unique('role'), description: 'd', permissions: ['svc.resource.use'] },
      201,
    );
    const { id: principal_id } = await api.post<{ id: string }>(
      '/v1/principals',
      { name: unique('p'), role_ids: [role.id] },
      201,
    );
    const { key } = await api.post<IssuedKey>('/v1/api-keys', { name: unique('key'), principal_id }, 201);
    const token = await endUser(unique('ann'), {}, api.as(key));
    const { id } = await createSession(token, agent.id);
    await api.patch(`/v1/roles/${role.id}`, { permissions: ['svc.resource.view'] });
    await token.get(`/v1/sessions/${id}`);
    const details = await token.refused('permission_denied', 'POST', `/v1/sessions/${id}/turns`, {
      body: { input: { content: [text('x')] } },
    });
    expect(details['permission']).toBe('svc.resource.use');
  });

  it('a changed text opens nothing, wherever it was changed', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const { token } = await issue(api, { session_ids: [id], verbs: ['read'] });
    const place = (n: number) => {
      const was = token[n] ?? '';
      return token.slice(0, n) + (was === 'A' ? 'B' : 'A') + token.slice(n + 1);
    };
    const step = Math.ceil(token.length / 40);
    const changed = Array.from({ length: token.length }, (_, n) => n)
      .filter((n) => n > 'svct_'.length && (n % step === 0 || n === token.length - 1) && token[n] !== '.')
      .map(place);
    const statuses = new Set<number>();
    for (const [n, text] of [...changed, token.slice(0, -1), `${token}A`, token.toUpperCase()].entries())
      statuses.add(
        (
          await rawRequest(api.as(text), 'GET', `/v1/sessions/${id}`, {
            headers: { 'x-forwarded-for': `127.9.9.${n}` },
          })
        ).status,
      );
    expect([...statuses]).toEqual([401]);
    await api.as(token).get(`/v1/sessions/${id}`);
  });

  it('a token in the address, or where no Bearer is, opens nothing', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const { token } = await issue(api, { session_ids: [id] });
    const nobody = api.as(null);
    for (const name of ['token', 'access_token', 'api_key', 'authorization'])
      expect((await rawRequest(nobody, 'GET', `/v1/sessions/${id}?${name}=${token}`)).status).toBe(401);
    const wrong: Record<string, string>[] = [
      { authorization: token },
      { authorization: `Basic ${token}` },
      { cookie: `token=${token}` },
    ];
    for (const headers of wrong)
      expect((await rawRequest(nobody, 'GET', `/v1/sessions/${id}`, { headers })).status).toBe(401);
  });

  it('a request from a page of an origin that is not let in is 403; one without the header passes', async () => {
    const { id } = await createSession(api, agent.id, { mode: 'new' });
    const token = await named([id]);
    const from = (origin: string) => rawRequest(token, 'GET', `/v1/sessions/${id}`, { headers: { origin } });
    for (const origin of ['https://evil.example', 'null']) {
      const { status, text: answer } = await from(origin);
      expect([status, (JSON.parse(answer) as { error: { code: string } }).error.code]).toEqual([
        403,
        'permission_denied',
      ]);
    }
    await token.get(`/v1/sessions/${id}`);
  });
});
