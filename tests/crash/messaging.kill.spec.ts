import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import {
  type Agent,
  ActionServer,
  type Client,
  type Page,
  createAgent,
  eventually,
  gateShare,
  unique,
} from '../harness/index.js';

jest.setTimeout(240_000);

interface Taken {
  exchange_id: string;
  turn_id?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'aos-messaging-'));
const file = join(folder, 'name');
const types = ['MessageArrived', 'TurnQueued', 'ExchangeAdmitted', 'TurnCompleted', 'ReplyBegun', 'ReplyDelivered'];
const places = gateShare(
  [...types.flatMap((type) => [`before-append ${type}`, `after-append ${type}`]), 'before-reply', 'after-reply'],
  // those of replies first: a try that fell with its process is taken up again while the others are met
  [
    'before-reply',
    'after-reply',
    'after-append MessageArrived',
    'after-append TurnQueued',
    'before-append ExchangeAdmitted',
    'after-append TurnCompleted',
  ],
);
/** A try that fell with its process is taken up again after 30 s. */
const answeredMs = 90_000;

let bridge: ActionServer;
let service: OwnService;
let api: Client;
let agent: Agent;
let connectionId = '';
const settings: Record<string, string> = { SVC_FAILPOINT: file };

beforeAll(async () => {
  writeFileSync(file, '');
  bridge = await ActionServer.start('own');
  settings['SVC_EGRESS_ALLOW'] = `127.0.0.1:${bridge.port}`;
  service = await OwnService.start(settings);
  api = service.client;
  agent = await createAgent(api, { name: unique('messaging'), visibility: 'organization' });
  const url = bridge.at('/bridge', () => ({ status: 204, body: '' }));
  const account = { name: 'channel', kind: 'channel_webhook', hosts: [new URL(url).origin], url };
  const { id } = await api.post<{ id: string }>('/v1/connections', { ...account, owner: { kind: 'team' } }, 201);
  connectionId = id;
  await api.put(`/v1/connections/${id}/grants`, { principal_ids: [], everyone: true });
  const binding = { provider: 'webhook', integration_id: id, enabled: true };
  await api.put(`/v1/agents/${agent.id}/messaging-bindings`, binding);
});

afterAll(async () => {
  await service.remove();
  await bridge.close();
  rmSync(folder, { recursive: true });
});

const send = (id: string) =>
  api.post<Taken>(
    '/v1/inbound/messages',
    {
      id,
      provider: 'webhook',
      integration_id: connectionId,
      channel: { id, kind: 'dm' },
      sender: { id: 'U1' },
      text: `said ${id}`,
    },
    202,
  );

it('TE13, TE14, TE15: a service that is killed at each step answers each message, once or again under one id', async () => {
  const taken = new Map<string, Taken>();
  for (const [index, place] of places.entries()) {
    const id = `m-${index}`;
    writeFileSync(file, place);
    await send(id).catch(() => null); // its answer may fall with the process
    await service.ended();
    writeFileSync(file, '');
    await service.run();
    taken.set(id, await send(id));
  }
  const answered = (id: string) => bridge.on('/bridge').filter(({ body }) => body['in_reply_to'] === id);
  await eventually(
    'an answer to each message',
    () => Promise.resolve([...taken.keys()].every((id) => answered(id).length > 0)),
    answeredMs,
  );
  for (const [id, { exchange_id }] of taken) {
    for (const { body, headers } of answered(id)) {
      expect(headers['webhook-id']).toBe(exchange_id);
      expect(body).toMatchObject({ exchange_id, channel: { id, kind: 'dm' }, text: `You said: said ${id}` });
    }
  }
  const sessions = await api.get<Page<{ id: string }>>('/v1/sessions', { integration_id: connectionId, limit: 100 });
  expect(sessions.items).toHaveLength(places.length);
  const turns: { id: string; status: string }[] = [];
  for (const { id } of sessions.items)
    turns.push(...(await api.get<Page<{ id: string; status: string }>>(`/v1/sessions/${id}/turns`)).items);
  expect(turns.map(({ status }) => status)).toEqual(places.map(() => 'completed'));
});

it('VER7: while a fleet is upgraded, bindings do not change and messages are not taken', async () => {
  const bindings = `/v1/agents/${agent.id}/messaging-bindings`;
  const { items } = await api.get<{ items: { id: string }[] }>(bindings);
  const known = await send('m-0');
  settings['SVC_WRITES'] = 'previous';
  await service.end('SIGKILL');
  await service.run();
  const account = { provider: 'webhook', integration_id: connectionId };
  const body = { ...account, enabled: false };
  const message = { ...account, channel: { id: 'D', kind: 'dm' }, sender: { id: 'U1' }, text: 'x' };
  const pending = { feature: 'messaging' };
  expect(await api.refused('upgrade_pending', 'PUT', bindings, { body })).toEqual(pending);
  expect(await api.refused('upgrade_pending', 'DELETE', `${bindings}/${items[0]?.id ?? ''}`)).toEqual(pending);
  const late = { body: { id: 'late', ...message } };
  expect(await api.refused('upgrade_pending', 'POST', '/v1/inbound/messages', late)).toEqual(pending);
  settings['SVC_WRITES'] = 'current';
  await service.end('SIGKILL');
  await service.run();
  expect(await api.get(bindings)).toEqual({ items });
  expect(await send('m-0')).toEqual({ ...known, deduped: true });
  expect(await send('late')).toMatchObject({ status: 'accepted', deduped: false });
});
