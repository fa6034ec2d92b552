import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import {
  ActionServer,
  type Agent,
  type Client,
  type Page,
  allRows,
  createAgent,
  createSession,
  eventually,
  gateShare,
  invoke,
  person,
  script,
  settled,
  unique,
} from '../harness/index.js';

jest.setTimeout(480_000);

const folder = mkdtempSync(join(tmpdir(), 'aos-ownership-'));
const file = join(folder, 'name');
const types = [
  'AgentCustodyChanged',
  'SkillConfigured',
  'CustodyChanged',
  'MemoryPartitionErased',
  'MemoryEntryDeleted',
  'AgentFollowUpDone',
];
const places = gateShare(
  types.flatMap((type) => [`before-append ${type}`, `after-append ${type}`]),
  [
    'after-append AgentCustodyChanged',
    'before-append SkillConfigured',
    'after-append CustodyChanged',
    'after-append MemoryPartitionErased',
    'before-append AgentFollowUpDone',
  ],
);
/** What fell with its process is taken up 5 s after the change. */
const takenUpMs = 60_000;
const settings: Record<string, string> = { SVC_FAILPOINT: file };

let server: ActionServer;
let service: OwnService;
let api: Client;

beforeAll(async () => {
  writeFileSync(file, '');
  server = await ActionServer.start('own');
  settings['SVC_EGRESS_ALLOW'] = `127.0.0.1:${server.port}`;
  service = await OwnService.start(settings);
  api = service.client;
});

afterAll(async () => {
  await service.remove();
  await server.close();
  rmSync(folder, { recursive: true });
});

/** The service dies at a place of a change, comes back, and is asked again. */
async function killedAt(place: string, change: () => Promise<unknown>): Promise<void> {
  writeFileSync(file, place);
  await change().catch(() => null); // its answer may fall with the process
  await service.ended();
  writeFileSync(file, '');
  await service.run();
  await change();
}

async function actsOn(id: string, action: string): Promise<number> {
  const { items } = await api.get<Page<{ action: string }>>('/v1/audit', { resource_id: id, action, limit: 100 });
  return items.length;
}

it('TE11: a service that is killed at each step carries each disposition out once, and deletes what is stranded', async () => {
  for (const place of places) {
    const bob = await person(api);
    const skill = await api.post<{ id: string }>('/v1/skills', { name: unique('skill'), instructions: 'x' }, 201);
    const fields = { visibility: 'organization', memory_enabled: true, skill_ids: [skill.id] };
    const agent = await createAgent(api, fields);
    const session = await createSession(api, agent.id, { mode: 'new' });
    const entries = `/v1/agents/${agent.id}/memory/entries`;
    const entry = { user_id: bob.id, kind: 'fact', content: 'x', importance: 1 };
    await bob.client.put(`${entries}/${unique('key')}`, entry);
    const disposed = (resource_type: string, resource_id: string) => ({
      resource_type,
      resource_id,
      action: 'keep_and_widen',
    });
    const body = {
      visibility: 'restricted',
      affected_resource_dispositions: [disposed('skill', skill.id), disposed('session', session.id)],
      stranded_disposition: 'delete',
    };
    await killedAt(place, () => api.patch<Agent>(`/v1/agents/${agent.id}`, body));
    expect([place, (await api.get<Agent>(`/v1/agents/${agent.id}`)).visibility]).toEqual([place, 'restricted']);
    const acts = () =>
      Promise.all([
        actsOn(skill.id, 'skill.updated'),
        actsOn(session.id, 'session.custody_changed'),
        actsOn(agent.id, 'memory.erased'),
      ]);
    // the deletion that fell between its two steps is asked for again
    const asked = ['after-append MemoryPartitionErased', 'before-append MemoryEntryDeleted'].includes(place) ? 2 : 1;
    const isDone = async () => {
      const [skills, sessions, erasures] = await acts();
      return skills > 0 && sessions > 0 && erasures >= asked;
    };
    await eventually(`what ${place} left`, isDone, takenUpMs);
    const back = { visibility: 'organization', confirm_visibility_change: true };
    await api.patch(`/v1/agents/${agent.id}`, back);
    await eventually(
      'the deletion',
      async () => (await bob.client.get<Page<object>>(entries, { user_id: bob.id })).items.length === 0,
      takenUpMs,
    );
    const [skills, sessions] = await acts();
    expect([place, skills, sessions]).toEqual([place, 1, 1]);
  }
});

it("TE10: a service that is killed at each step ends the grants of persons' connections with an agent's owner", async () => {
  for (const place of ['before-append ConnectionGranted', 'after-append ConnectionGranted']) {
    const [ann, bob] = [await person(api, 'Admin'), await person(api)];
    const agent = await createAgent(api, { visibility: 'organization' });
    const account = {
      name: unique('account'),
      kind: 'api_key',
      provider: 'tracker',
      owner: { kind: 'person' },
      hosts: ['https://example.com'],
      secret: 'a-secret-of-a-test',
    };
    const { id } = await bob.client.post<{ id: string }>('/v1/connections', account, 201);
    await bob.client.put(`/v1/connections/${id}/grants`, { principal_ids: [agent.id], everyone: false });
    const owner = { kind: 'person', id: ann.id };
    await killedAt(place, () => ann.client.patch(`/v1/resources/agent/${agent.id}/ownership`, { owner }));
    await eventually(
      `the end of the grant after ${place}`,
      async () => {
        const { grants } = await bob.client.get<{ grants: { principal_ids: string[] } }>(`/v1/connections/${id}`);
        return grants.principal_ids.length === 0;
      },
      takenUpMs,
    );
  }
});

it("TE10: while the end of a person's grant is left to do, the account is not used", async () => {
  const [ann, bob] = [await person(api, 'Admin'), await person(api)];
  const [name, provider] = [unique('act'), unique('prov').toLowerCase()];
  await api.post('/v1/actions', { name, endpoint_url: server.at(`/${name}`, () => ({})), provider }, 201);
  const agent = await createAgent(api, {
    visibility: 'organization',
    action_selectors: [{ selector_type: 'exact', selector: name }],
    integration_access: [{ provider, act_as_user: true }],
  });
  const hosts = [new URL(server.at('/', () => ({}))).origin];
  const account = { name, kind: 'api_key', provider, owner: { kind: 'person' }, hosts, secret: 'a-secret-of-a-test' };
  const { id } = await bob.client.post<{ id: string }>('/v1/connections', account, 201);
  await bob.client.put(`/v1/connections/${id}/grants`, { principal_ids: [agent.id], everyone: false });
  const called = async () => {
    const ack = await invoke(bob.client, agent.id, script({ call: { name, input: {} } }, { say: 'done' }));
    await settled(bob.client, ack);
    return JSON.stringify(await allRows(bob.client, ack.session_id));
  };
  expect(await called()).not.toContain('connection_not_granted');
  writeFileSync(file, 'before-append ConnectionGranted');
  const owner = { kind: 'person', id: ann.id };
  await ann.client.patch(`/v1/resources/agent/${agent.id}/ownership`, { owner }).catch(() => null);
  await service.ended();
  writeFileSync(file, '');
  await service.run();
  expect(await called()).toContain('connection_not_granted');
  expect(server.on(`/${name}`)).toHaveLength(1);
});

it('VER7: while a fleet is upgraded, owners and dispositions do not change', async () => {
  const agent = await createAgent(api, { visibility: 'organization' });
  const ann = await person(api, 'Admin');
  settings['SVC_WRITES'] = 'previous';
  await service.end('SIGKILL');
  await service.run();
  const owner = { kind: 'person', id: ann.id };
  const pending = { feature: 'ownership' };
  const path = `/v1/resources/agent/${agent.id}/ownership`;
  expect(await api.refused('upgrade_pending', 'PATCH', path, { body: { owner } })).toEqual(pending);
  const body = { visibility: 'restricted', stranded_disposition: 'delete' };
  expect(await api.refused('upgrade_pending', 'PATCH', `/v1/agents/${agent.id}`, { body })).toEqual(pending);
  await api.patch(`/v1/agents/${agent.id}`, { visibility: 'restricted' });
  settings['SVC_WRITES'] = 'current';
  await service.end('SIGKILL');
  await service.run();
  expect(await api.patch(path, { owner })).toMatchObject({ owner, visibility: 'restricted' });
});
