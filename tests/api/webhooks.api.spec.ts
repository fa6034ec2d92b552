import { Webhook } from 'standardwebhooks';
import {
  ActionServer,
  Client,
  anotherOwner,
  converse,
  createAgent,
  eventually,
  eventsAfter,
  feedEnd,
  issueKey,
  person,
  unique,
  type ActionRequest,
  type Page,
  type SourceEvent,
} from '../harness/index.js';

interface Hook {
  id: string;
  url: string;
  status: string;
  disabled: { reason: string; at: string } | null;
  signing_secret: string;
  event_types: string[];
}
interface Delivery {
  event_id: string;
  tries: number;
  status: string;
  next_at: string | null;
  last_status?: number | null;
}

/** Of its own: the hooks of an organization send 100 events a second together, and other suites make more. */
const api = anotherOwner(unique('Hooks'));
let server: ActionServer;
const made: string[] = [];

beforeAll(async () => {
  server = await ActionServer.start();
});
afterAll(async () => {
  for (const id of made) await api.send('DELETE', `/v1/webhooks/${id}`);
  await server.close();
});

async function hookAt(url: string, body: Record<string, unknown> = {}): Promise<Hook> {
  const types = { event_types: ['session.*', 'crm.*'] };
  const hook = await api.post<Hook>('/v1/webhooks', { url, ...types, ...body }, 201);
  made.push(hook.id);
  return hook;
}

/** Something happens at a provider: one event. */
async function happens(client: Client, type = 'crm.deal.won'): Promise<string> {
  const body = { id: unique('e'), event_type: type, integration_id: unique('int'), event: { n: 1 } };
  return (await client.post<{ event_id: string }>('/v1/inbound/events', body, 202)).event_id;
}

const idsOn = (path: string) => server.on(path).map(({ headers }) => String(headers['webhook-id']));
const has = (path: string, id: string) => eventually(`${id} at ${path}`, async () => idsOn(path).includes(id));

/** The oracle of the ecosystem; it throws for what is not signed as it must be. */
function verified({ raw, headers }: ActionRequest, secret: string): SourceEvent {
  return new Webhook(secret).verify(raw.toString('utf8'), headers as Record<string, string>) as SourceEvent;
}

const deliveries = async (id: string) => (await api.get<{ items: Delivery[] }>(`/v1/webhooks/${id}/deliveries`)).items;

describe('web hooks', () => {
  it('TE120, TE121: deliver the envelope of the feed, byte by byte, signed in the form of Standard Webhooks', async () => {
    const path = `/${unique('hook')}`;
    const hook = await hookAt(server.at(path, () => ({ status: 200 })));
    expect(Buffer.from(hook.signing_secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    const cursor = await feedEnd(api);
    const id = await happens(api);
    await has(path, id);
    const request = server.on(path).find(({ headers }) => headers['webhook-id'] === id) as ActionRequest;
    const { events } = await eventsAfter(api, cursor);
    const told = events.find(({ meta }) => meta.id === id);
    expect(verified(request, hook.signing_secret)).toEqual(told);
    expect(request.raw.toString('utf8')).toBe(JSON.stringify(told));
    expect(() => verified(request, `whsec_${Buffer.alloc(32, 1).toString('base64')}`)).toThrow();
  });

  it('TE120: see nothing private, whoever made them, and only what they ask for', async () => {
    const path = `/${unique('hook')}`;
    await hookAt(
      server.at(path, () => ({ status: 200 })),
      { event_types: ['session.*', 'interaction.*', 'crm.deal.won'] },
    );
    const owner = await person(api);
    const agent = await createAgent(owner.client, { visibility: 'private' });
    const { ack } = await converse(owner.client, agent.id, 'a secret');
    await api.post(
      '/v1/interactions',
      { kind: 'request_information', title: 'Private?', target_user_ids: [owner.id] },
      201,
    );
    await happens(api, 'crm.deal.lost');
    const last = await happens(api, 'crm.deal.won');
    await has(path, last);
    const seen = server.on(path).map(({ body }) => body as unknown as SourceEvent);
    expect(seen.filter(({ source_id: id }) => id === ack.session_id)).toEqual([]);
    expect(seen.some(({ event_type: type }) => type === 'crm.deal.lost')).toBe(false);
  });

  it('TE121: after a rotation both secrets sign, and no other answer shows one', async () => {
    const path = `/${unique('hook')}`;
    const hook = await hookAt(server.at(path, () => ({ status: 200 })));
    const rotated = await api.post<Hook>(`/v1/webhooks/${hook.id}/rotate`, undefined, 200);
    expect(rotated.signing_secret).not.toBe(hook.signing_secret);
    expect(await api.get(`/v1/webhooks/${hook.id}`)).not.toHaveProperty('signing_secret');
    const id = await happens(api);
    await has(path, id);
    const request = server.on(path).find(({ headers }) => headers['webhook-id'] === id) as ActionRequest;
    for (const secret of [hook.signing_secret, rotated.signing_secret])
      expect(verified(request, secret)).toMatchObject({ meta: { id } });
  });

  it('a ping is signed, answers the status, and is no event of the feed', async () => {
    const path = `/${unique('hook')}`;
    const hook = await hookAt(server.at(path, () => ({ status: 418, body: 'not for you' })));
    const cursor = await feedEnd(api);
    expect(await api.post(`/v1/webhooks/${hook.id}/ping`, undefined, 200)).toEqual({ status: 418 });
    const [request] = server.on(path) as [ActionRequest];
    expect(verified(request, hook.signing_secret)).toMatchObject({
      event_type: 'webhook.ping',
      event: { webhook_id: hook.id },
    });
    const { events } = await eventsAfter(api, cursor);
    expect(events.some(({ event_type: type }) => type === 'webhook.ping')).toBe(false);
    const nowhere = await hookAt('https://example.invalid/x');
    expect(await api.post(`/v1/webhooks/${nowhere.id}/ping`, undefined, 200)).toEqual({
      error: expect.any(String) as string,
    });
  });

  it('TE122: what fails waits, is listed without a body, and comes again under the same id', async () => {
    const path = `/${unique('hook')}`;
    const url = server.at(path, (_request, earlier) => ({ status: earlier === 0 ? 503 : 200 }));
    const hook = await hookAt(url, { event_types: ['crm.*'] });
    const id = await happens(api);
    await has(path, id);
    const [waiting] = await eventually('it waits', async () => {
      const items = await deliveries(hook.id);
      return items.length > 0 && items[0]?.last_status ? items : null;
    });
    expect(waiting).toMatchObject({ event_id: id, status: 'waiting', last_status: 503 });
    await eventually('it comes again', async () => idsOn(path).filter((one) => one === id).length === 2);
    await eventually('nothing waits', async () => (await deliveries(hook.id)).length === 0);
  });

  it('TE123: 410 disables; it is audited; it goes on where it stood, or at the end', async () => {
    const path = `/${unique('hook')}`;
    let status = 410;
    const hook = await hookAt(server.at(path, () => ({ status })));
    const first = await happens(api);
    const disabled = await eventually('disabled', async () => {
      const now = await api.get<Hook>(`/v1/webhooks/${hook.id}`);
      return now.status === 'disabled' ? now : null;
    });
    expect(disabled.disabled).toMatchObject({ reason: 'gone' });
    const meanwhile = await happens(api);
    status = 200;
    expect(await api.post(`/v1/webhooks/${hook.id}/enable`, {}, 200)).toMatchObject({
      status: 'active',
      disabled: null,
    });
    await has(path, meanwhile);
    await eventually('the first one again', async () => idsOn(path).filter((id) => id === first).length === 2);
    const actions = async () =>
      (await api.get<Page<{ action: string }>>('/v1/audit', { resource_id: hook.id, limit: 100 })).items.map(
        ({ action }) => action,
      );
    await eventually('the audit view', async () => (await actions()).length >= 3);
    expect(new Set(await actions())).toEqual(new Set(['webhook.created', 'webhook.disabled', 'webhook.enabled']));
  });

  it('TE123: redeliver sends one event or a time again, one at a time, under the same ids', async () => {
    const path = `/${unique('hook')}`;
    const hook = await hookAt(server.at(path, () => ({ status: 200 })));
    const since = new Date(Date.now() - 1_000).toISOString();
    const ids = [await happens(api), await happens(api), await happens(api)];
    for (const id of ids) await has(path, id);
    const [one = ''] = ids;
    expect(await api.post(`/v1/webhooks/${hook.id}/redeliver`, { event_id: one }, 202)).toEqual({ events: 1 });
    await eventually('once more', async () => idsOn(path).filter((id) => id === one).length === 2);
    const until = new Date(Date.now() + 60_000).toISOString();
    await eventually('the time again', async () => {
      const { status } = await api.send('POST', `/v1/webhooks/${hook.id}/redeliver`, { body: { since, until } });
      return status === 202;
    });
    for (const id of ids)
      await eventually('again', async () => idsOn(path).filter((known) => known === id).length >= 2);
    await eventually('the entries of both', async () => {
      const asked = { resource_id: hook.id, limit: 100 };
      const { items } = await api.get<Page<{ action: string }>>('/v1/audit', asked);
      const told = items.filter(({ action }) => action === 'webhook.redelivered');
      return told.length === 2;
    });
    await api.refused('not_found', 'POST', `/v1/webhooks/${hook.id}/redeliver`, { body: { event_id: 'evt_none' } });
    await api.refused('bad_request', 'POST', `/v1/webhooks/${hook.id}/redeliver`, { body: { since } });
  });

  it('TE125: take what the contract says, of whom it says', async () => {
    const url = server.at(`/${unique('hook')}`, () => ({ status: 200 }));
    await api.refused('bad_request', 'POST', '/v1/webhooks', { body: { url, event_types: ['*'] }, invalid: true });
    await api.refused('bad_request', 'POST', '/v1/webhooks', { body: { url, event_types: [] }, invalid: true });
    for (const bad of [
      'http://example.com/x',
      'http://127.0.0.1:1/x',
      'https://169.254.169.254/x',
      'ftp://example.com',
      'https://example.com/x#part',
      'https://example.com/x#',
      'https://example.com/x\n',
      ' https://example.com/x',
      'https://example.com/a\tb',
    ])
      expect(
        await api.refused('invalid_argument', 'POST', '/v1/webhooks', { body: { url: bad, event_types: ['a.b'] } }),
      ).toMatchObject({ argument: 'url' });
    const hook = await hookAt(url, { description: 'd', source_kinds: ['session'] });
    expect(
      await api.patch(`/v1/webhooks/${hook.id}`, { source_kinds: null, event_types: ['a.*', 'a.*'] }),
    ).toMatchObject({ event_types: ['a.*'], description: 'd' });
    expect(await api.get(`/v1/webhooks/${hook.id}`)).not.toHaveProperty('source_kinds');
    const builder = api.as((await issueKey(api, 'User')).key);
    await builder.refused('permission_denied', 'GET', '/v1/webhooks');
    const other = Client.owner();
    await other.refused('not_found', 'GET', `/v1/webhooks/${hook.id}`);
    await other.refused('not_found', 'DELETE', `/v1/webhooks/${hook.id}`);
    const { items } = await other.get<Page<Hook>>('/v1/webhooks', { limit: 100 });
    expect(items.map(({ id }) => id)).not.toContain(hook.id);
    await api.delete(`/v1/webhooks/${hook.id}`);
    await api.refused('not_found', 'GET', `/v1/webhooks/${hook.id}`);
  });

  it('TE124: an organization has 50 at most, also when they are made at once', async () => {
    const other = anotherOwner(unique('Many'));
    const body = { url: 'https://example.invalid/x', event_types: ['a.b'] };
    const answers = await Promise.all(Array.from({ length: 60 }, () => other.send('POST', '/v1/webhooks', { body })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(await other.refused('plan_limit_exceeded', 'POST', '/v1/webhooks', { body })).toEqual({ limit: 'webhooks' });
    const { items } = await other.get<Page<Hook>>('/v1/webhooks', { limit: 100 });
    expect(items).toHaveLength(50);
  });
});
