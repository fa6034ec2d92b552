import { createHmac, randomBytes } from 'node:crypto';
import { OwnService } from '../harness/embedded.js';
import {
  type ActionRequest,
  ActionServer,
  type Agent,
  type Page,
  allRows,
  converse,
  createAgent,
  eventually,
  script,
  unique,
} from '../harness/index.js';

const masterKey = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const [older, newer] = [masterKey('k1'), masterKey('k2')];
const settings: Record<string, string> = { SVC_MASTER_KEYS: older };
const path = '/hook';

let server: ActionServer;
let service: OwnService;

beforeAll(async () => {
  server = await ActionServer.start('own');
  settings['SVC_EGRESS_ALLOW'] = `127.0.0.1:${server.port}`;
  service = await OwnService.start(settings);
});
afterAll(async () => {
  await service.remove();
  await server.close();
});

async function restartedWith(keys: string): Promise<void> {
  await service.end('SIGTERM');
  settings['SVC_MASTER_KEYS'] = keys;
  await service.run();
}

/** The call of a turn, as the action's server got it. */
async function called(agent: Agent, action: string): Promise<ActionRequest> {
  const before = server.on(path).length;
  await converse(service.client, agent.id, script({ call: { name: action, input: {} } }, { say: 'done' }));
  return eventually('the call', () => Promise.resolve(server.on(path)[before] ?? null));
}

function isSignedWith(secret: string, { headers, raw }: ActionRequest): boolean {
  const signed = Buffer.concat([
    Buffer.from(`v1.${String(headers['x-svc-delivery-id'])}.${String(headers['x-svc-timestamp'])}.`),
    raw,
  ]);
  return (
    headers['x-svc-signature'] ===
    `sha256=${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64url'))
      .update(signed)
      .digest('hex')}`
  );
}

describe('a change of the master key (control S32)', () => {
  it('new one first, the old one still opens; what was sealed anew needs the new one only', async () => {
    const name = unique('hook');
    const made = await service.client.post<{ signing_secret: string }>(
      '/v1/actions',
      { name, endpoint_url: server.at(path, () => ({ body: { ok: true } })) },
      201,
    );
    const agent = await createAgent(service.client, { action_selectors: [{ selector: name }] });
    for (let count = 0; count < 3; count += 1) await createAgent(service.client);
    expect(isSignedWith(made.signing_secret, await called(agent, name))).toBe(true);
    const { next_cursor: cursor } = await service.client.get<Page<Agent>>('/v1/agents', { limit: 1 });

    await restartedWith(`${newer},${older}`);
    expect(isSignedWith(made.signing_secret, await called(agent, name))).toBe(true);
    expect(
      (await service.client.get<Page<Agent>>('/v1/agents', { limit: 1, cursor: cursor ?? '' })).items,
    ).toHaveLength(1);
    const rotated = await service.client.post<{ signing_secret: string }>(
      `/v1/actions/${name}/secret/rotate`,
      undefined,
      200,
    );

    await restartedWith(newer);
    expect(isSignedWith(rotated.signing_secret, await called(agent, name))).toBe(true);
    await service.client.refused('invalid_cursor', 'GET', '/v1/agents', { query: { limit: 1, cursor: cursor ?? '' } });
    expect((await service.client.get<Agent>(`/v1/agents/${agent.id}`)).id).toBe(agent.id);
  });

  it('an operator has everything sealed anew: then the old key can go, whatever it sealed', async () => {
    await restartedWith(older);
    const name = unique('kept');
    const made = await service.client.post<{ signing_secret: string }>(
      '/v1/actions',
      { name, endpoint_url: server.at(path, () => ({ body: { ok: true } })) },
      201,
    );
    const agent = await createAgent(service.client, { action_selectors: [{ selector: name }] });
    const person = await service.client.post<{ id: string }>(
      '/v1/principals',
      { name: unique('ann'), kind: 'human' },
      201,
    );
    const subscriber = {
      callback_url: server.at('/outcome', () => ({ body: {} })),
      signing_secret: `whsec_${randomBytes(32).toString('base64url')}`,
    };
    const asked = await service.client.post<{ id: string }>(
      '/v1/interactions',
      {
        kind: 'request_approval',
        title: 'Go?',
        target_user_ids: [person.id],
        consumer: { kind: 'http_subscriber', http_subscriber: subscriber },
      },
      201,
    );

    await restartedWith(`${newer},${older}`);
    const first = (await service.operator('secrets', 'reseal')) as {
      done: boolean;
      resealed: number;
      unreadable: number;
    };
    expect(first).toMatchObject({ done: true });
    expect(first.resealed).toBeGreaterThanOrEqual(2);
    expect(await service.operator('secrets', 'reseal')).toMatchObject({
      done: true,
      resealed: 0,
      unreadable: first.unreadable,
    });
    const rest = (await service.operator('secrets', 'reseal', '--after', 'interactions.reseal_secrets@')) as {
      checked: number;
    };
    expect(rest).toMatchObject({ done: true, checked: 1 });

    await restartedWith(newer);
    expect(isSignedWith(made.signing_secret, await called(agent, name))).toBe(true);
    await service.client.post(`/v1/interactions/${asked.id}/cancel`, {}, 200);
    const [outcome] = await eventually('the outcome', () =>
      Promise.resolve(server.on('/outcome').length > 0 ? server.on('/outcome') : null),
    );
    expect(outcome && isSignedWith(subscriber.signing_secret, outcome)).toBe(true);
  });

  it('a secret that only the lost key opens fails its calls, not the service, until it is rotated', async () => {
    const name = unique('left');
    await service.client.post(
      '/v1/actions',
      { name, endpoint_url: server.at(path, () => ({ body: { ok: true } })) },
      201,
    );
    const agent = await createAgent(service.client, { action_selectors: [{ selector: name }] });
    await restartedWith(older);
    const before = server.on(path).length;
    const { turn } = await converse(service.client, agent.id, script({ call: { name, input: {} } }, { say: 'done' }));
    expect(turn.status).toBe('completed');
    const results = (await allRows(service.client, turn.session_id)).flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool_result'),
    );
    expect(results).toMatchObject([{ is_error: true }]);
    expect(server.on(path)).toHaveLength(before);
    const { signing_secret: secret } = await service.client.post<{ signing_secret: string }>(
      `/v1/actions/${name}/secret/rotate`,
      undefined,
      200,
    );
    expect(isSignedWith(secret, await called(agent, name))).toBe(true);
  });
});
