import { randomBytes } from 'node:crypto';
import {
  ActionServer,
  Client,
  type Page,
  type Turn,
  allRows,
  converse,
  createAgent,
  eventually,
  person,
  script,
  settled,
  unique,
} from '../harness/index.js';

type Body = Record<string, unknown>;
interface Routine {
  id: string;
  status: string;
  pause_reason?: string;
  act_as_user_providers: string[];
}
interface Run {
  session_id?: string;
  turn_id?: string;
  status: string;
}

const api = Client.owner();
let server: ActionServer;

beforeAll(async () => {
  server = await ActionServer.start();
});
afterAll(() => server.close());

const canary = () => `canary-${randomBytes(12).toString('hex')}`;
const origin = () => new URL(server.at('/', () => ({}))).origin;
type Person = Awaited<ReturnType<typeof person>>;

/** An action of a provider of its own, an agent that acts as its users, and Ann with an account that grants it. */
async function setting() {
  const name = unique('act');
  const provider = unique('prov').toLowerCase();
  const path = `/${name}`;
  await api.post('/v1/actions', { name, endpoint_url: server.at(path, () => ({})), provider }, 201);
  const agent = await createAgent(api, {
    name: unique('acting'),
    action_selectors: [{ selector_type: 'exact', selector: name }],
    integration_access: [{ provider, act_as_user: true }],
  });
  const ann = await person(api, 'Admin');
  const secret = canary();
  const connection = await connect(ann, provider, secret);
  await grant(ann, connection, [agent.id]);
  return { name, provider, path, agent, ann, secret, connection, sent: () => server.on(path) };
}

async function connect({ client }: Person, provider: string, secret = canary()): Promise<string> {
  const account = { name: unique('account'), kind: 'api_key', provider, hosts: [origin()], secret };
  return (await client.post<{ id: string }>('/v1/connections', account, 201)).id;
}
const grant = ({ client }: Person, id: string, ids: string[]) =>
  client.put(`/v1/connections/${id}/grants`, { principal_ids: ids, everyone: false });

const free = { per_occurrence_ceiling_milli: 0, daily_ceiling_milli: 0, schedule: { interval: '24h' } };
const routine = ({ client }: Person, agentId: string, action: string, more: Body = {}) =>
  client.post<Routine>(
    '/v1/routines',
    {
      agent_id: agentId,
      instructions: script({ call: { name: action, input: {} } }, { say: 'done' }),
      ...free,
      ...more,
    },
    201,
  );
const read = ({ client }: { client: Client }, id: string) => client.get<Routine>(`/v1/routines/${id}`);
const paused = (who: Person, id: string) =>
  eventually('the pause', async () => {
    const found = await read(who, id);
    return found.status === 'paused' ? found : null;
  });

/** Runs the routine once; gives what its call was answered with. */
async function ran({ client }: Person, routineId: string): Promise<string> {
  await client.call('POST', `/v1/routines/${routineId}/run`);
  const turn = await eventually('the run', async () => {
    const query = { routine_id: routineId, limit: 100 };
    const { items } = await client.get<Page<Run>>('/v1/routines/occurrences', query);
    const [newest] = items.filter(({ turn_id: id }) => id !== undefined);
    return newest && newest.status !== 'admitted' && newest.status !== 'pending' ? newest : null;
  });
  const ack = { session_id: turn.session_id ?? '', turn_id: turn.turn_id ?? '' };
  const { status }: Turn = await settled(client, ack as Parameters<typeof settled>[1]);
  expect(status).toBe('completed');
  const results = (await allRows(client, ack.session_id)).flatMap(({ content }) =>
    content.filter(({ type }) => type === 'tool_result'),
  );
  return String(results.at(-1)?.content);
}

describe('routines that act as the person that they run as (rule TE24)', () => {
  it('TE24: use that person’s account at the providers that the person named, and at no other', async () => {
    const { agent, ann, name, provider, secret, sent } = await setting();
    const plain = await routine(ann, agent.id, name);
    expect(plain.act_as_user_providers).toEqual([]);
    expect(await ran(ann, plain.id)).toContain('connection_not_granted');
    const acting = await routine(ann, agent.id, name, { act_as_user_providers: [provider] });
    expect(acting.act_as_user_providers).toEqual([provider]);
    expect(await ran(ann, acting.id)).toBe('{}');
    expect(sent().map(({ headers }) => headers.authorization)).toEqual([secret]);
    await ann.client.patch(`/v1/routines/${acting.id}`, { act_as_user_providers: [] });
    expect(await ran(ann, acting.id)).toContain('connection_not_granted');
    await ann.client.patch(`/v1/routines/${acting.id}`, { act_as_user_providers: [provider] });
    expect(await ran(ann, acting.id)).toBe('{}');
  });

  it('TE19, TE24: a proposal that is approved runs as the person who approved it', async () => {
    const { agent, ann, name, provider, secret, sent } = await setting();
    const selectors = [name, 'svc.routine.propose'].map((selector) => ({ selector_type: 'exact', selector }));
    await api.patch(`/v1/agents/${agent.id}`, { action_selectors: selectors });
    const instructions = script({ call: { name, input: {} } }, { say: 'done' });
    const request = { agent_id: agent.id, instructions, ...free, act_as_user_providers: [provider] };
    const proposing = script({ call: { name: 'svc_routine_propose', input: { request } } }, { say: 'done' });
    await converse(ann.client, agent.id, proposing);
    const { items } = await ann.client.get<Page<{ id: string }>>('/v1/routines/proposals');
    const approve = `/v1/routines/proposals/${items[0]?.id ?? ''}/approve`;
    const { id } = await ann.client.post<Routine>(approve, undefined, 201);
    expect(sent()).toEqual([]);
    expect(await ran(ann, id)).toBe('{}');
    expect(sent().map(({ headers }) => headers.authorization)).toEqual([secret]);
  });

  it('TE24: only the person that it runs as names them, and another one who decides takes them away', async () => {
    const { agent, ann, name, provider, sent } = await setting();
    const bob = await person(api, 'Admin');
    const refused = (who: { client: Client }, id: string) =>
      who.client.refused('invalid_argument', 'PATCH', `/v1/routines/${id}`, {
        body: { act_as_user_providers: [provider] },
      });
    const own = await routine(ann, agent.id, name);
    for (const who of [bob, { client: api }])
      expect(await refused(who, own.id)).toMatchObject({ argument: 'act_as_user_providers', reason: 'another_person' });
    const teams = await routine(ann, agent.id, name, { owner_kind: 'team', act_as_user_providers: [provider] });
    expect(await ran(ann, teams.id)).toBe('{}');
    await bob.client.patch(`/v1/routines/${teams.id}`, {
      instructions: script({ call: { name, input: { of: 'bob' } } }, { say: 'done' }),
    });
    expect((await read(ann, teams.id)).act_as_user_providers).toEqual([]);
    expect(await ran(bob, teams.id)).toContain('connection_not_granted');
    expect(sent()).toHaveLength(1);
    const software = { agent_id: agent.id, instructions: 'x', ...free, act_as_user_providers: [provider] };
    expect(await api.refused('invalid_argument', 'POST', '/v1/routines', { body: software })).toMatchObject({
      argument: 'act_as_user_providers',
    });
  });
});

describe('what routines rest on (rule TE27)', () => {
  it('TE27: an account that is un-granted pauses them; granted again and resumed they go on', async () => {
    const { agent, ann, name, provider, connection, sent } = await setting();
    const acting = await routine(ann, agent.id, name, { act_as_user_providers: [provider] });
    const other = await routine(ann, agent.id, name);
    await grant(ann, connection, []);
    expect(await paused(ann, acting.id)).toMatchObject({ pause_reason: 'source_revoked' });
    expect(await ann.client.post(`/v1/routines/${acting.id}/resume`)).toMatchObject({
      status: 'paused',
      pause_reason: 'source_revoked',
    });
    expect((await read(ann, other.id)).status).toBe('active');
    await grant(ann, connection, [agent.id]);
    expect(await ann.client.post(`/v1/routines/${acting.id}/resume`)).toMatchObject({ status: 'active' });
    expect(await ran(ann, acting.id)).toBe('{}');
    await ann.client.delete(`/v1/connections/${connection}`);
    expect(await paused(ann, acting.id)).toMatchObject({ pause_reason: 'source_revoked' });
    const again = await connect(ann, provider);
    await grant(ann, again, [agent.id]);
    expect(await ann.client.post(`/v1/routines/${acting.id}/resume`)).toMatchObject({ status: 'active' });
    expect(sent()).toHaveLength(1);
  });

  it('TE27: so does the connection that an event names; a name that is no connection is a label', async () => {
    const { agent, ann, name, provider, connection } = await setting();
    const event = (integration_id: string) => ({
      schedule: undefined,
      event: { event_type: `${unique('crm')}.issue.opened`, integration_id },
    });
    const bound = await routine(ann, agent.id, name, event(connection));
    const labelled = await routine(ann, agent.id, name, event('int_7'));
    await ann.client.delete(`/v1/connections/${connection}`);
    expect(await paused(ann, bound.id)).toMatchObject({ pause_reason: 'source_revoked' });
    expect((await read(ann, labelled.id)).status).toBe('active');
    expect(provider).not.toBe('');
  });

  it('TE27: a person who is disabled stops what rests on the account; enabled again it is resumed', async () => {
    const { agent, ann, name, connection } = await setting();
    const bob = await person(api, 'Admin');
    const event = { event_type: `${unique('crm')}.issue.opened`, integration_id: connection };
    const bound = await routine(bob, agent.id, name, { schedule: undefined, event });
    await api.patch(`/v1/principals/${ann.id}`, { state: 'disabled' });
    expect(await paused(bob, bound.id)).toMatchObject({ pause_reason: 'source_revoked' });
    await api.patch(`/v1/principals/${ann.id}`, { state: 'active' });
    expect(await bob.client.post(`/v1/routines/${bound.id}/resume`)).toMatchObject({ status: 'active' });
  });

  it('TE27: the account of a person who is deleted is gone with its secret', async () => {
    const { ann, connection } = await setting();
    const used = await api.refused('principal_in_use', 'DELETE', `/v1/principals/${ann.id}`);
    await api.delete(`/v1/api-keys/${String(used.resource_id)}`);
    await api.delete(`/v1/principals/${ann.id}`);
    const deleted = async () => {
      const { items } = await api.get<Page<{ action: string; resource: { id: string } }>>('/v1/audit', { limit: 100 });
      return items.some(({ action, resource }) => action === 'connection.deleted' && resource.id === connection);
    };
    await eventually('the end of the connection', deleted);
  });
});
