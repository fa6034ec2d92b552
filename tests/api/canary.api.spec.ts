import { randomBytes } from 'node:crypto';
import {
  ActionServer,
  Client,
  type Reading,
  anotherOwner,
  converse,
  createAgent,
  eventually,
  person,
  rawRequest,
  reading,
  script,
  unique,
} from '../harness/index.js';
import {
  type ApiOperation,
  type GeneratedRequest,
  Place,
  exchange,
  plant,
  requestTo,
  servedOperations,
} from '../harness/generators/index.js';
import { workedTurn } from '../harness/planted-worker.js';

const marker = `canary${randomBytes(6).toString('hex')}`;
/** Members that hold the name of something which must be there, or a position that the service gave. */
const namesSomething =
  /(_id|_ids|_dispositions|\.members|\.permissions|\.role_name|\.agent_ref|\.resolution_policy|\.sort|\.cursor|\.to|respondToInteraction\.value)$/;
const acceptedMin = 110;

const ours = Client.owner();
const place = new Place(ours);
let theirs: Place;
let server: ActionServer;
let served: ApiOperation[] = [];
let feed: Reading;
const received = new Map<string, string>();

async function asked(who: Client, from: string, request: GeneratedRequest): Promise<void> {
  received.set(`${from} ${request.operation.id}`, (await exchange(who, request)).bytes);
}

/** An interaction of this organization that calls back to a path of ours, resolved. */
async function calledBack(owner: Client, path: string, title: string): Promise<void> {
  const somebody = await person(owner);
  const { id } = await owner.post<{ id: string }>(
    '/v1/interactions',
    {
      kind: 'request_information',
      title,
      target_user_ids: [somebody.id],
      spec: { questions: [{ id: 'q', prompt: title, mode: 'input' }] },
      consumer: {
        kind: 'http_subscriber',
        http_subscriber: { callback_url: server.at(path, () => ({ status: 200 })) },
      },
    },
    201,
  );
  await somebody.client.post(`/v1/interactions/${id}/respond`, { answers: [{ question_id: 'q', text: title }] }, 200);
}

/** What a worker of this organization receives, which is a model and carries out an action of its own. */
async function worked(owner: Client, said: string): Promise<string> {
  const name = `${said}-called`;
  await owner.post('/v1/actions', { name, endpoint_url: server.at(`/${name}`, () => ({ body: { said } })) }, 201);
  return (await workedTurn(owner, { name }, said)).received;
}

beforeAll(async () => {
  server = await ActionServer.start();
  served = await servedOperations(ours);
  theirs = new Place(anotherOwner(`${marker} organization`));
  feed = await reading(ours, '/v1/events/stream?from=latest');
});

afterAll(async () => {
  feed.close();
  await place.close();
  await theirs.close();
  await server.close();
});

describe('canary: what one organization writes never reaches another (control S8; invariant 63)', () => {
  it('the other organization writes it into every member of every body', async () => {
    const results: { at: string; accepted: boolean; tier: number; why: string }[] = [];
    for (const operation of served.filter(({ bodySchema }) => bodySchema !== null)) {
      for (const { member, accepted, answer } of await plant(operation, theirs, marker)) {
        results.push({
          at: `${operation.id}.${member}`,
          accepted,
          tier: operation.tier,
          why: answer.text.slice(0, 200),
        });
      }
    }
    expect(
      results
        .filter(({ accepted, tier, at }) => !accepted && tier < 3 && !namesSomething.test(at))
        .map(({ at, why }) => `${at} ${why}`),
    ).toEqual([]);
    expect(results.filter(({ accepted }) => accepted).length).toBeGreaterThanOrEqual(acceptedMin);
  }, 150_000);

  it('and lets it run: turns, tools, memory, callbacks, workers, refusals', async () => {
    const agent = await createAgent(theirs.owner, {
      name: `${marker}-agent`,
      memory_enabled: true,
      system_prompt: marker,
    });
    const tool = { call: { name: 'svc.memory.remember', input: { key: marker, content: marker } } };
    await converse(theirs.owner, agent.id, script({ think: marker }, { say: marker }, tool, { say: marker }));
    await converse(theirs.owner, agent.id, script({ error: { type: marker, message: marker } }));
    await theirs.owner.put(`/v1/agents/${agent.id}/memory/entries/${marker}`, { content: marker, kind: 'fact' });
    await calledBack(theirs.owner, '/theirs', marker);
    expect(await worked(theirs.owner, marker)).toContain(marker);
    await theirs.owner.refused('not_found', 'GET', `/v1/agents/${marker}`);
    await eventually('their callback', () => Promise.resolve(server.on('/theirs').length > 0));
  });

  it('none of it is in what the first organization gets: its own, its worker, lists, theirs by id, refusals', async () => {
    await calledBack(ours, '/ours', unique('ours'));
    await converse(ours, (await createAgent(ours)).id, script({ say: 'one' }, { say: 'two' }));
    received.set('frames of our worker', await worked(ours, unique('ours')));
    for (const operation of served) {
      const request = await requestTo(operation, place, place.nobody, operation.method === 'DELETE');
      const lists: Record<string, string> = operation.query.some(({ name }) => name === 'limit')
        ? { limit: '100' }
        : {};
      await asked(ours, 'ours', { ...request, query: { ...request.query, ...lists } });
      if (operation.pathParameters.length === 0) continue;
      await asked(ours, 'by their id', { ...request, params: await theirs.target(operation.id, theirs.nobody) });
      if (operation.bodySchema !== null)
        await asked(ours, 'refused', { ...request, body: { unknown_member: 1, name: 5 } });
    }
    await eventually('our callback', () => Promise.resolve(server.on('/ours').length > 0));
    received.set(
      'callbacks',
      JSON.stringify(server.on('/ours').map(({ headers, raw }) => [headers, raw.toString('utf8')])),
    );
    received.set('open feed', feed.bytes());
    expect(received.size).toBeGreaterThan(served.length);
    expect(
      [...received]
        .filter(([, bytes]) => bytes.toLowerCase().includes(marker))
        .map(([from, bytes]) => `${from}: ${bytes.slice(0, 500)}`),
    ).toEqual([]);
  });

  it('the search would have found it: the other organization gets it in answers, on its feed and in its callbacks', async () => {
    const telling = [
      'listAgents',
      'listSkills',
      'listRoles',
      'listPrincipals',
      'listAPIKeys',
      'listSessions',
      'listInteractions',
      'listTables',
      'listActions',
      'listSourceEvents',
      'listAuditEntries',
      'getOrgContext',
    ];
    for (const id of telling) {
      const operation = served.find((one) => one.id === id);
      if (!operation) throw new Error(`${id} is not served`);
      const lists: Record<string, string> = operation.query.some(({ name }) => name === 'limit')
        ? { limit: '100' }
        : {};
      await eventually(`${id} telling of it`, async () => {
        // what is told of others' streams comes a little later
        const request = await requestTo(operation, theirs, theirs.nobody);
        return (await exchange(theirs.owner, { ...request, query: { ...request.query, ...lists } })).bytes.includes(
          marker,
        );
      });
    }
    expect(JSON.stringify(server.on('/theirs').map(({ raw }) => raw.toString('utf8')))).toContain(marker);
  });
});

describe('canary: what is private to one person never reaches another of the same organization (rules A30, A32, A33, A34, R46)', () => {
  const secret = `secret${randomBytes(6).toString('hex')}`;
  /**
   * Lists in which an administrator finds private sessions of shared agents (rule A28), and agents' principals and
   * audit rows (rule A30).
   */
  const administered = [
    'listSessions',
    'listInteractions',
    'listActionInvocations',
    'listSourceEvents',
    'listAuditEntries',
    'listPrincipals',
  ];
  const builtins = ['svc.table', 'svc.memory', 'svc.interaction', 'svc.event'].map((selector) => ({
    selector_type: 'group',
    selector,
  }));
  const call = (name: string, input: object = {}) => ({ call: { name, input } });
  type Person = Awaited<ReturnType<typeof person>>;
  let ann: Person;
  let others: [string, Client][];
  let streams: [string, Reading][];
  let shared: string;
  const paths: string[] = [];

  beforeAll(async () => {
    const [bob, viewer, admin] = [await person(ours), await person(ours, 'Viewer'), await person(ours, 'Admin')];
    ann = await person(ours);
    others = [
      ['another person', bob.client],
      ['a viewer', viewer.client],
      ['an administrator', admin.client],
    ];
    streams = await Promise.all(
      others.map(async ([name, client]): Promise<[string, Reading]> => [
        `stream of ${name}`,
        await reading(client, '/v1/events/stream?from=latest'),
      ]),
    );
    shared = (await createAgent(ours, { name: unique('shared'), memory_enabled: true, action_selectors: builtins })).id;
  });

  afterAll(() => {
    for (const [, stream] of streams) stream.close();
  });

  it('she talks to an agent of her own and to a shared one, is asked, answers, and is remembered', async () => {
    const own = await ann.client.post<{ id: string }>(
      '/v1/agents',
      {
        name: `${secret}-own`,
        model: 'svc-scripted-1',
        system_prompt: secret,
        memory_enabled: true,
        action_selectors: builtins,
      },
      201,
    );
    const asking = call('svc_interaction_open', {
      kind: 'request_information',
      title: secret,
      target_user_ids: [ann.id],
      spec: { questions: [{ id: 'q', prompt: secret, mode: 'input' }] },
    });
    const keeping = call('svc_memory_remember', { key: secret, content: secret });
    for (const agentId of [own.id, shared]) {
      const { ack } = await converse(
        ann.client,
        agentId,
        script(keeping, asking, call('svc_table_get', { table: secret }), { say: secret }),
      );
      const { items } = await ann.client.get<{ items: { id: string }[] }>('/v1/interactions', {
        session_id: ack.session_id,
      });
      const [question] = items;
      await ann.client.post(
        `/v1/interactions/${question?.id ?? ''}/respond`,
        { answers: [{ question_id: 'q', text: secret }] },
        200,
      );
      await ann.client.put(
        `/v1/agents/${agentId}/memory/entries/${secret}-api`,
        { content: secret, user_id: ann.id },
        201,
      );
      if (agentId === own.id)
        paths.push(
          `/v1/agents/${own.id}`,
          `/v1/sessions/${ack.session_id}`,
          `/v1/sessions/${ack.session_id}/messages`,
          `/v1/interactions/${question?.id ?? ''}`,
        );
      paths.push(
        `/v1/agents/${agentId}/memory`,
        `/v1/agents/${agentId}/memory/entries`,
        `/v1/agents/${agentId}/memory/changes`,
        `/v1/agents/${agentId}/memory/entries/${secret}?user_id=${ann.id}`,
      );
    }
    await ann.client.post(
      '/v1/routines',
      { ...(await place.routine()), name: `${secret}-routine`, agent_id: own.id, instructions: secret },
      201,
    );
    const seen = await eventually('her own feed', async () => {
      const { text } = await ann.client.send('GET', '/v1/events', { query: { limit: 100, order: 'desc' } });
      return text.includes(secret) && text;
    });
    expect(seen).toContain(secret);
  });

  it('none of it is in what others get by lists, by ids, by a shared agent, or by refusals', async () => {
    const got = new Map<string, string>();
    for (const [name, client] of others) {
      const isAdmin = name === 'an administrator';
      for (const operation of served.filter(
        ({ method, pathParameters }) => method === 'GET' && pathParameters.length === 0,
      )) {
        if (isAdmin && administered.includes(operation.id)) continue;
        const lists: Record<string, string> = operation.query.some(({ name: member }) => member === 'limit')
          ? { limit: '100' }
          : {};
        const request = await requestTo(operation, place, place.nobody);
        got.set(
          `${name} ${operation.id}`,
          (await exchange(client, { ...request, query: { ...request.query, ...lists } })).bytes,
        );
      }
      for (const path of paths)
        got.set(`${name} ${path.replaceAll(secret, 'S')}`, (await client.send('GET', path)).text);
    }
    const [[, bob] = ['', ours]] = others;
    const { ack } = await converse(
      bob,
      shared,
      script(
        call('svc_interaction_list', { limit: 100 }),
        call('svc_memory_recall', {}),
        call('svc_memory_recall', { query: 'secret' }),
        call('svc_table_list', { limit: 100 }),
      ),
    );
    got.set(
      'a shared agent',
      (await bob.send('GET', `/v1/sessions/${ack.session_id}/messages`, { query: { limit: 100 } })).text,
    );
    for (const [name, stream] of streams) if (!name.endsWith('an administrator')) got.set(name, stream.bytes());
    got.set('metrics', (await rawRequest(ours.as(null), 'GET', '/metrics')).text);
    expect(got.size).toBeGreaterThan(3 * paths.length);
    expect(
      [...got].filter(([, bytes]) => bytes.includes(secret)).map(([from, bytes]) => `${from}: ${bytes.slice(0, 400)}`),
    ).toEqual([]);
  });
});
