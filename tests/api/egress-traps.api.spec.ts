import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import {
  ActionServer,
  Client,
  allRows,
  createAgent,
  invoke,
  person,
  script,
  settled,
  unique,
} from '../harness/index.js';

const api = Client.owner();
let server: ActionServer;
let trap: Server;
let connections = 0;
let port = 0;
let targetId = '';

/**
 * Takes a port that the service may call at public addresses, so that only the address stands between it and the trap.
 */
async function setTrap(): Promise<void> {
  for (port = 8900; port < 9000; port += 1) {
    trap = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    for (const host of ['::', '0.0.0.0']) {
      trap.listen(port, host);
      if (
        await once(trap, 'listening').then(
          () => true,
          () => false,
        )
      )
        return;
    }
  }
  throw new Error('no port from 8900 to 8999 is free');
}

beforeAll(async () => {
  await setTrap();
  server = await ActionServer.start();
  targetId = (await person(api)).id;
});
afterAll(async () => {
  trap.close();
  await server.close();
});

/** Every way to write an address of this machine, of its platform or of a private network that is no name. */
const literals = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '017700000001',
  '0x7f000001',
  '0x7f.1',
  '0',
  '0.0.0.0',
  '127.0.0.255',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '127.0.0.1.',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[::ffff:0:7f00:1]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '169.254.169.254',
  '0xa9fea9fe',
  '168.63.129.16',
  '100.100.100.200',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'user@127.0.0.1',
];

describe('a trap on this machine (S26, S27, S28)', () => {
  afterAll(() => {
    expect(connections).toBe(0);
  });

  it.each(literals)('%s is not taken as an address of an action, and neither of a subscriber', async (host) => {
    const isAscii = /^[!-~]+$/.test(host); // else its form is wrong already
    const [code, named] = isAscii
      ? ['invalid_argument', { argument: 'endpoint_url' }]
      : ['bad_request', { issues: [{ path: '/endpoint_url' }] }];
    for (const url of [`http://${host}:${port}/`, `http://${host}/`, `https://${host}/`]) {
      expect(
        await api.refused(code, 'POST', '/v1/actions', {
          body: { name: unique('trap'), endpoint_url: url },
          invalid: true,
        }),
      ).toMatchObject(named);
    }
    const consumer = { kind: 'http_subscriber', http_subscriber: { callback_url: `http://${host}:${port}/` } };
    await api.refused(code, 'POST', '/v1/interactions', {
      body: { kind: 'request_approval', title: 'Go?', target_user_ids: [targetId], consumer },
      invalid: true,
    });
  });

  it.each(literals)(
    'TE132: %s is taken neither for a web hook, nor for a channel, nor for a mail server',
    async (host) => {
      const team = { name: unique('trap'), owner: { kind: 'team' } };
      const smtp = { ...team, kind: 'smtp', username: 'post', secret: 'a-secret-of-mail' };
      for (const url of [`https://${host}:${port}/`, `https://${host}/`, `http://${host}:${port}/`])
        for (const [path, body] of [
          ['/v1/webhooks', { url, event_types: ['crm.*'] }],
          ['/v1/connections', { ...team, kind: 'channel_webhook', hosts: [url.slice(0, -1)], url }],
        ] as const)
          expect([url, (await api.send('POST', path, { body, invalid: true })).status]).toEqual([url, 400]);
      for (const hosts of [[`${host}:587`], [`${host}:25`], [`${host}:${port}`]])
        expect([hosts, (await api.send('POST', '/v1/connections', { body: { ...smtp, hosts } })).status]).toEqual([
          hosts,
          400,
        ]);
    },
  );

  it('TE132: a web hook at a name that leads there is blocked when it is called', async () => {
    const url = `https://${hostname()}:${port}/`;
    const { id } = await api.post<{ id: string }>('/v1/webhooks', { url, event_types: ['crm.*'] }, 201);
    expect(await api.post(`/v1/webhooks/${id}/ping`, undefined, 200)).toEqual({ error: 'endpoint_blocked' });
    expect((await api.send('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
  });

  it.each(literals)('TE132: %s is not taken as an address of an issuer or a token endpoint', async (host) => {
    const isAscii = /^[!-~]+$/.test(host); // else its form is wrong already
    const sound = { client_id: 'c', client_secret: 'a-long-secret', hosts: ['https://api.example.com'] };
    const issuer = 'https://issuer.invalid/';
    const endpoints = { issuer, authorization_endpoint: issuer, token_endpoint: issuer };
    const account = { name: 'trap', kind: 'oauth2_client_credentials', owner: { kind: 'team' }, client_id: 'c' };
    for (const url of [`http://${host}:${port}/`, `https://${host}:${port}/`, `https://${host}/`]) {
      for (const argument of Object.keys(endpoints)) {
        const body = { ...sound, ...endpoints, [argument]: url };
        const path = `/v1/providers/${unique('trap').toLowerCase()}`;
        const details = await api.refused(isAscii ? 'invalid_argument' : 'bad_request', 'PUT', path, {
          body,
          invalid: true,
        });
        expect(details).toMatchObject(isAscii ? { argument } : { issues: [{ path: `/${argument}` }] });
      }
      const body = { ...account, hosts: sound.hosts, secret: 'a-long-secret', token_endpoint: url };
      await api.refused(isAscii ? 'invalid_argument' : 'bad_request', 'POST', '/v1/connections', {
        body,
        invalid: true,
      });
    }
  });

  it('TE132: a token endpoint whose name leads there, or that redirects there, is asked no further', async () => {
    const redirects = [301, 302, 303, 307, 308].map((status) => {
      const location = `http://127.0.0.1:${port}/`;
      return server.at(`/${unique('token')}`, () => ({ status, headers: { location } }));
    });
    for (const token_endpoint of [`https://${hostname()}:${port}/`, ...redirects]) {
      const name = unique('trap');
      const provider = name.toLowerCase();
      const endpoint_url = server.at(`/${name}`, () => ({}));
      await api.post('/v1/actions', { name, endpoint_url, provider }, 201);
      const kind = 'oauth2_client_credentials';
      const hosts = [new URL(endpoint_url).origin];
      const account = { name, kind, provider, owner: { kind: 'team' }, hosts, client_id: 'c', token_endpoint };
      const { id } = await api.post<{ id: string }>('/v1/connections', { ...account, secret: 'a-long-secret' }, 201);
      await api.put(`/v1/connections/${id}/grants`, { principal_ids: [], everyone: true });
      expect(await api.post(`/v1/actions/${name}/invoke`, {}, 200)).toMatchObject({
        status: 'failed',
        error: expect.stringMatching(/^connection_token_unavailable: /) as string,
      });
      expect(server.on(`/${name}`)).toEqual([]);
    }
  });

  it('a change does not lead there either', async () => {
    const name = unique('trap');
    await api.post('/v1/actions', { name, endpoint_url: server.at('/before', () => ({})) }, 201);
    for (const host of ['127.0.0.1', '[::1]', '169.254.169.254']) {
      expect(
        await api.refused('invalid_argument', 'PATCH', `/v1/actions/${name}`, {
          body: { endpoint_url: `http://${host}:${port}/` },
        }),
      ).toEqual({ argument: 'endpoint_url' });
    }
    expect(await api.post(`/v1/actions/${name}/invoke`, {}, 200)).toMatchObject({ status: 'completed' });
  });

  it('a name that leads there is blocked when it is called', async () => {
    const name = unique('trap');
    await api.post('/v1/actions', { name, endpoint_url: `http://${hostname()}:${port}/` }, 201);
    expect(await api.post(`/v1/actions/${name}/invoke`, {}, 200)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^endpoint_blocked: /) as string,
    });
  });

  it.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is not followed, whoever is sent there and by whichever name',
    async (status) => {
      for (const host of ['127.0.0.1', '[::1]', '2130706433', '[::ffff:7f00:1]', hostname(), 'localhost']) {
        const name = unique('trap');
        await api.post(
          '/v1/actions',
          {
            name,
            endpoint_url: server.at(`/${name}`, () => ({ status, headers: { location: `http://${host}:${port}/` } })),
            annotations: { idempotent: true },
          },
          201,
        );
        expect(await api.post(`/v1/actions/${name}/invoke`, {}, 200)).toMatchObject({
          status: 'failed',
          error: expect.stringMatching(/^redirect: /) as string,
        });
        expect(server.on(`/${name}`)).toHaveLength(1);
      }
    },
  );

  it("an agent's tools lead no further than a caller's own invocation", async () => {
    const [blocked, redirected] = [unique('trap'), unique('trap')];
    await api.post('/v1/actions', { name: blocked, endpoint_url: `http://${hostname()}:${port}/` }, 201);
    await api.post(
      '/v1/actions',
      {
        name: redirected,
        endpoint_url: server.at('/away', () => ({ status: 307, headers: { location: `http://127.0.0.1:${port}/` } })),
      },
      201,
    );
    const agent = await createAgent(api, {
      action_selectors: [blocked, redirected].map((selector) => ({ selector_type: 'exact', selector })),
    });
    const ack = await invoke(
      api,
      agent.id,
      script(
        {
          calls: [
            { name: blocked, input: {} },
            { name: redirected, input: {} },
          ],
        },
        { say: 'done' },
      ),
    );
    await settled(api, ack);
    const results = (await allRows(api, ack.session_id)).flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool_result'),
    );
    expect(
      results.map(({ content }) => (JSON.parse(String(content)) as { error: { code: string } }).error.code),
    ).toEqual(['endpoint_blocked', 'redirect']);
  });
});
