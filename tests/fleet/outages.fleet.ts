import {
  ActionServer,
  type Agent,
  Client,
  type TurnAck,
  createAgent,
  eventually,
  invoke,
  script,
  settled,
  unique,
  upload,
  v2,
} from '../harness/index.js';
import { TestWorker, endWorkers } from '../harness/worker.js';
import { turnMs } from './conversations.js';
import { engine } from './fleet.js';

const racing = 20;
const api = Client.owner();
let server: ActionServer;
const hooks: string[] = [];

const lists = ['/v1/agents', '/v1/actions', '/v1/connections', '/v1/webhooks'];

beforeAll(async () => {
  server = await ActionServer.start();
});
afterEach(async () => {
  endWorkers();
  for (const id of hooks.splice(0)) await api.send('DELETE', `/v1/webhooks/${id}`);
});
afterAll(() => server.close());

/** The engine answers nothing until the function given back is called. */
function stop(name: string): () => void {
  const { pid } = engine(name);
  if (pid === null) throw new Error(`${name} is not running`);
  process.kill(pid, 'SIGSTOP');
  return () => {
    process.kill(pid, 'SIGCONT');
  };
}

async function listsBack(): Promise<void> {
  for (const path of lists) await eventually(path, async () => (await api.send('GET', path)).status === 200, turnMs);
}

/** An action whose calls go out with an account of the kind. */
async function connected(account: Record<string, unknown>): Promise<string> {
  const name = unique('act');
  const provider = unique('prov').toLowerCase();
  const endpoint_url = server.at(`/${name}`, () => ({ body: { ok: true } }));
  await api.post('/v1/actions', { name, endpoint_url, provider }, 201);
  const hosts = [new URL(endpoint_url).origin];
  const body = { name: unique('account'), provider, owner: { kind: 'team' }, hosts, ...account };
  const { id } = await api.post<{ id: string }>('/v1/connections', body, 201);
  await api.put(`/v1/connections/${id}/grants`, { principal_ids: [], everyone: true });
  return name;
}

async function workersAction(): Promise<{ name: string; agent: Agent }> {
  const name = unique('work');
  await api.post('/v1/actions', { name, endpoint_kind: 'worker' }, 201);
  return { name, agent: await createAgent(api, { action_selectors: [{ selector_type: 'exact', selector: name }] }) };
}

const called = async (name: string): Promise<string> =>
  (await api.send('POST', `/v1/actions/${name}/invoke`, { body: { input: {} } })).text;
const sentWith = (name: string) => server.on(`/${name}`).map(({ headers }) => headers.authorization);
const eventsAt = (path: string) => server.on(path).map(({ headers }) => String(headers['webhook-id']));

/** Calls the action so often at once that each copy has met its provider. */
async function meet(name: string): Promise<void> {
  const texts = await Promise.all(Array.from({ length: racing }, () => called(name)));
  expect(texts.filter((text) => !text.includes('completed'))).toEqual([]);
}

/** Something happens at a provider; gives the event's id. */
async function happens(): Promise<string> {
  const body = { id: unique('e'), event_type: 'crm.deal.won', integration_id: unique('int'), event: {} };
  return (await api.post<{ event_id: string }>('/v1/inbound/events', body, 202)).event_id;
}

/** What came of each of several things that are done at once: `done`, or why not. */
async function outcomes(things: Record<string, () => Promise<void>>): Promise<Record<string, string>> {
  const ended = Object.entries(things).map(async ([name, thing]): Promise<[string, string]> => {
    try {
      await thing();
      return [name, 'done'];
    } catch (error) {
      return [name, String(error)];
    }
  });
  return Object.fromEntries(await Promise.all(ended));
}

const allOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'done']));

describe('TE133: calls go on while an engine that can be lost is stopped', () => {
  it.each(['redis', 'kafka'])('%s', async (name) => {
    const path = `/${unique('hook')}`;
    const url = server.at(path, () => ({ status: 200 }));
    hooks.push((await api.post<{ id: string }>('/v1/webhooks', { url, event_types: ['crm.*'] }, 201)).id);
    const secret = unique('canary');
    const plain = await connected({ kind: 'api_key', secret, format: 'Bearer {secret}' });
    const token = `/${unique('token')}`;
    let expires_in = 1;
    const token_endpoint = server.at(token, (_request, earlier) => ({
      body: { access_token: `token-${earlier}`, token_type: 'Bearer', expires_in },
    }));
    const client = { kind: 'oauth2_client_credentials', client_id: 'client', secret: unique('canary') };
    const refreshing = await connected({ ...client, token_endpoint });
    for (const action of [plain, refreshing]) await meet(action);
    const work = await workersAction();
    const worker = await TestWorker.register(api, { action_names: [work.name] });
    const steps = script({ call: { name: work.name, input: {} } }, { read: 'last_tool_result' });
    const turn = await invoke(api, work.agent.id, steps);
    const job = await worker.claim();
    const stream = await v2(api, turn.session_id);
    expires_in = 3600;
    const asked = server.on(token).length;

    const goOn = stop(name);
    let event = '';
    const next: TurnAck[] = [];
    const during = {
      'a call with a secret': async () => {
        expect(await called(plain)).toContain('completed');
        expect(sentWith(plain).at(-1)).toBe(`Bearer ${secret}`);
      },
      'one refresh of racing calls': async () => {
        await meet(refreshing);
        expect(server.on(token)).toHaveLength(asked + 1);
        expect(new Set(sentWith(refreshing).slice(-racing))).toEqual(new Set([`Bearer token-${asked}`]));
      },
      'an upload and its content': async () => {
        const bytes = Buffer.from(unique('bytes'));
        const { id } = await upload(api, bytes);
        const content = await fetch(api.url(`/v1/artifacts/${id}/content`), { headers: api.headers() });
        expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
      },
      'a job that a worker has, to the end of its turn': async () => {
        worker.send({ type: 'job.progress', job_id: job.id, lease_token: job.lease_token, progress: { step: 1 } });
        await worker.report(job, { result: { done: true } });
        expect(await settled(api, turn, turnMs)).toMatchObject({ status: 'completed' });
        await stream.over(turnMs);
      },
      'a stream that begins': async () => {
        const late = await v2(api, turn.session_id);
        await late.over(turnMs);
      },
      'an event of a provider': async () => {
        event = await happens();
      },
      'a turn whose job no worker has yet': async () => {
        next.push(await invoke(api, work.agent.id, steps));
      },
    };
    let came: Record<string, string>;
    try {
      came = await outcomes(during);
    } finally {
      goOn();
    }
    expect(came).toEqual(allOf(Object.keys(during)));

    const after = {
      'the event is at the web hook': async () => {
        await eventually('the event', async () => eventsAt(path).includes(event), turnMs);
      },
      'the job comes, and its turn ends': async () => {
        await worker.report(await worker.claim(), { result: { done: true } });
        for (const ack of next) expect(await settled(api, ack, turnMs)).toMatchObject({ status: 'completed' });
      },
      'the lists are there': listsBack,
    };
    expect(await outcomes(after)).toEqual(allOf(Object.keys(after)));
  });
});
