import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import {
  type Client,
  type Page,
  type Session,
  allRows,
  createAgent,
  feedEnd,
  feedTells,
  invoke,
  person,
  said,
  scenario,
  script,
  settled,
  startTurn,
  unique,
} from '../harness/index.js';

jest.setTimeout(180_000);

const tool = join(__dirname, '..', '..', 'tools', 'release-before.mjs');
const found = spawnSync(process.execPath, [tool], { encoding: 'utf8' });
const before = found.status === 0 ? found.stdout.trim() : null;
const title =
  'VER7, TE130: a release goes on with what the one before left, and that one with what it left under SVC_WRITES=previous';
const pending = { feature: 'webhooks' };
const hook = { url: 'https://hooks.example.com/', event_types: ['crm.*'] };

/** Ends the process as a crash would, and starts the other release on its files. */
async function takeOver(service: OwnService, build: string): Promise<void> {
  await service.end('SIGKILL');
  service.build = build;
  await service.run();
}

/** A blueprint with a skill, an agent and a table. */
const blueprint = (key: string, word: string) => ({
  blueprint_key: key,
  resources: {
    skills: [{ key: 's', name: `${key}-s`, title: 'S', instructions: word }],
    agents: [{ key: 'a', name: `${key}-a`, model: 'svc-scripted-1', system_prompt: word, skills: [{ key: 's' }] }],
  },
});

/** What a service answers to an operation that the release before does not have. */
async function statusOfNew(api: Client): Promise<number> {
  const request = { method: 'POST', headers: api.headers(), body: JSON.stringify(hook) };
  return (await fetch(api.url('/v1/webhooks'), request)).status;
}

/** JSON of a caller that looks like what the service keeps in the place of a large value. */
const own = [{ $blob: 'x' }, { $blob: '0'.repeat(64), enc: 'utf8' }];

/** A table with a row of each release so far. */
async function tableOf(api: Client) {
  const columns = ['id', 'own'].map((name) => ({ name, type: name === 'id' ? 'string' : 'any' }));
  const name = unique('t').replaceAll('-', '_');
  const { id } = await api.post<{ id: string }>(
    '/v1/tables',
    { name, schema: { identity_column: 'id', columns } },
    201,
  );
  let count = 0;
  return async () => {
    count += 1;
    await api.post(`/v1/tables/${id}/rows`, { data: { id: `${count}`, own } }, 201);
    const { items } = await api.post<Page<{ data: object }>>(`/v1/tables/${id}/query`, {}, 200);
    expect(items.map(({ data }) => data)).toEqual(Array.from({ length: count }, (_, n) => ({ id: `${n + 1}`, own })));
  };
}

async function sessionsOf(api: Client, agentId: string): Promise<string[]> {
  const { items } = await api.get<Page<Session>>('/v1/sessions', { agent_id: agentId, limit: 100 });
  return items.map(({ id }) => id).sort();
}

if (found.status !== 0 && found.status !== 75) throw new Error(found.stderr);
if (before === null) test.todo(`${title} (the history of this project is not here)`);
else
  test(title, async () => {
    const settings: Record<string, string> = { SVC_WRITES: 'previous' };
    const service = await OwnService.start(settings);
    try {
      await travel(service, settings, before);
    } finally {
      await service.remove();
    }
  });

/** There and back: what each of the two does is found, and gone on with, by the other. */
async function travel(service: OwnService, settings: Record<string, string>, old: string): Promise<void> {
  const now = service.build;
  const api = service.client;
  await takeOver(service, old);
  const agent = await createAgent(api);
  const ann = await person(api);
  const key = unique('desk');
  await api.post('/v1/blueprints/apply', blueprint(key, 'one'), 200);
  const slow = script({ say: 'begun' }, { wait_ms: 2_000 }, { say: 'ended' });
  const turns = [await invoke(api, agent.id, slow)];
  const addRow = await tableOf(api);

  for (const build of [now, old, now]) {
    await takeOver(service, build);
    const cursor = await feedEnd(api);
    await feedTells(api, cursor, await scenario(api));
    for (const turn of turns) {
      expect(await settled(api, turn)).toMatchObject({ status: 'completed' });
      const again = await settled(api, await startTurn(api, turn.session_id, 'hello'));
      expect(again).toMatchObject({ status: 'completed' });
    }
    turns.push(await invoke(api, agent.id, slow));
    expect(await sessionsOf(api, agent.id)).toEqual(turns.map(({ session_id: id }) => id).sort());
    await api.post('/v1/blueprints/apply', blueprint(key, unique('word')), 200);
    await ann.client.get(`/v1/agents/${agent.id}`);
    await addRow();
    // its contract has no such operation
    if (build === old) expect(await statusOfNew(api)).toBe(404);
    else expect(await api.refused('upgrade_pending', 'POST', '/v1/webhooks', { body: hook })).toEqual(pending);
  }
  for (const turn of turns) {
    await settled(api, turn);
    const rows = await allRows(api, turn.session_id);
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1));
    expect(rows.filter((row) => said(row).includes('ended'))).toHaveLength(2); // asked for, and said
  }
  delete settings['SVC_WRITES'];
  await takeOver(service, now);
  await addRow();
  await api.post('/v1/webhooks', hook, 201);
}
