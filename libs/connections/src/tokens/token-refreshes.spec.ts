import { MemoryEventStore } from '@aos/adapters/memory';
import { Egress, type EgressRequest, type OpenedResponse } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { KeyRing, Sealer, serviceActor } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import { connectionDecider } from '../connection.decider.js';
import { ConnectionDirectory } from '../connection/connection-directory.js';
import type { ConnectionEvent, ConnectionRecord } from '../connection/connection.events.js';
import { connectionKind } from '../connection/connection.state.js';
import { ProviderDirectory } from '../provider/provider-directory.js';
import { ConnectionSecrets } from '../secret/connection-secrets.js';
import { FollowedSecrets } from './followed-secrets.js';
import { RefreshRequests } from './refresh-requests.js';
import { TokenEndpoint } from './token-endpoint.js';
import { TokenRefreshes } from './token-refreshes.js';

const orgId = 'org_1';
const id = 'conn_00000000000000000000000001';
const actor = serviceActor(orgId, 'user_1', 'r');
const keys = new KeyRing([{ keyId: 'k', secret: Buffer.alloc(32, 1) }]);

/** A token endpoint: each request waits until the spec lets it be answered, in order. */
class Issuer extends Egress {
  readonly asked: URLSearchParams[] = [];
  private readonly answers: ((response: OpenedResponse) => void)[] = [];

  override open({ body }: EgressRequest): Promise<OpenedResponse> {
    this.asked.push(new URLSearchParams(Buffer.from(body ?? []).toString('utf8')));
    return new Promise((resolve) => this.answers.push(resolve));
  }

  override sendMail(): Promise<never> {
    return Promise.reject(new Error('no mail leaves this test'));
  }

  override refusal(): null {
    return null;
  }

  answer(index: number, status: number, body: object): void {
    async function* bytes() {
      yield await Promise.resolve(Buffer.from(JSON.stringify(body)));
    }
    this.answers[index]?.({ status, headers: {}, body: bytes() });
  }

  grant(index: number, token: string, more: object = {}): void {
    this.answer(index, 200, { access_token: token, token_type: 'bearer', ...more });
  }
}

const record: ConnectionRecord = {
  id,
  org_id: orgId,
  name: 'Shop',
  kind: 'oauth2_client_credentials',
  provider: 'shop',
  owner: { kind: 'team', id: null },
  hosts: ['https://api.example.com'],
  header: null,
  format: null,
  username: null,
  header_names: [],
  url: null,
  client_id: 'client-1',
  token_endpoint: 'https://issuer.example.com/token',
  secret_version: 1,
  status: 'active',
  grants: { principal_ids: [], everyone: true, actions: [] },
  oauth: {
    scopes: ['read'],
    resource: null,
    issuer: null,
    provider_version: null,
    attempt: 0,
    valid_from: 0,
    refresh: null,
    flow: null,
  },
  created_by: 'user_1',
  created_at: '',
  updated_by: 'user_1',
  updated_at: '',
  deleted_at: null,
};

/** Two processes over one log and one issuer, and a connection whose secret is stored. */
async function world(fields: Partial<ConnectionRecord> = {}) {
  const clock = new ManualClock();
  const issuer = new Issuer();
  const store = new MemoryEventStore({ clock, soleWriter: false });
  const process = () => {
    const decisions = memoryDecisions({ store, clock });
    const secrets = new ConnectionSecrets(decisions, store, new Sealer(keys));
    const providers = new ProviderDirectory(decisions);
    const directory = new ConnectionDirectory(decisions, providers);
    const followed = new FollowedSecrets(secrets, decisions, clock);
    const endpoint = new TokenEndpoint(issuer, clock);
    const requests = new RefreshRequests(secrets, providers, endpoint);
    const refreshes = new TokenRefreshes(decisions, directory, secrets, followed, requests, endpoint, clock);
    return { decisions, secrets, directory, refreshed: (stale = 0) => refreshes.refreshed(orgId, id, stale) };
  };
  const [one, two] = [process(), process()];
  const version = await one.secrets.put(id, actor, { secret: 'the-client-secret' });
  await one.decisions.decide(connectionDecider.createConnection, id, actor, {
    ...record,
    secret_version: version,
    ...fields,
  });
  const turns = async () => {
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  };
  const asked = async (count: number) => {
    for (let turn = 0; issuer.asked.length < count && turn < 1000; turn += 1) await new Promise(setImmediate);
    expect(issuer.asked).toHaveLength(count);
  };
  /** Lets those who wait look again. */
  const pass = async (ms: number) => {
    clock.advance(ms);
    await turns();
  };
  const token = async () => (await two.secrets.opened(orgId, id))?.access_token;
  const events = async () => {
    const all = await one.decisions.read<ConnectionEvent>(connectionKind, id, { limit: 100 });
    return all.map(({ type }) => type);
  };
  return { clock, issuer, store, one, two, asked, pass, turns, token, events };
}

describe('fenced refreshes (rule TE25)', () => {
  it('ask once for 100 racing callers of two processes', async () => {
    const { issuer, one, two, asked, pass, token, events } = await world();
    const callers = Array.from({ length: 100 }, (_none, index) => (index % 2 ? one : two).refreshed());
    await asked(1);
    await pass(100);
    issuer.grant(0, 'token-1', { expires_in: 3600 });
    const outcomes = Promise.all(callers);
    for (let look = 0; look < 5; look += 1) await pass(100);
    expect(new Set(await outcomes)).toEqual(new Set(['ready']));
    expect(issuer.asked.map((form) => Object.fromEntries(form))).toEqual([
      { grant_type: 'client_credentials', scope: 'read' },
    ]);
    expect(await token()).toBe('token-1');
    expect(await events()).toEqual(['ConnectionCreated', 'RefreshBegun', 'TokenRefreshed']);
    expect(await one.refreshed()).toBe('ready');
    expect(issuer.asked).toHaveLength(1);
  });

  it('fetch another one for a caller whose token was refused', async () => {
    const { issuer, one, asked, token } = await world();
    const first = one.refreshed();
    await asked(1);
    issuer.grant(0, 'token-1');
    expect(await first).toBe('ready');
    const second = one.refreshed(1);
    await asked(2);
    issuer.grant(1, 'token-2');
    expect([await second, await token()]).toEqual(['ready', 'token-2']);
  });

  it('share a failure among those who waited for it, and try again for the next caller', async () => {
    const { issuer, one, two, asked, pass } = await world();
    const callers = [one.refreshed(), two.refreshed()];
    await asked(1);
    await pass(100);
    issuer.answer(0, 503, {});
    await pass(100);
    await pass(100);
    expect(await Promise.all(callers)).toEqual(['failed', 'failed']);
    expect(issuer.asked).toHaveLength(1);
    const again = two.refreshed();
    await asked(2);
    issuer.grant(1, 'token-1');
    expect(await again).toBe('ready');
  });

  it('follow a process that died before its answer was stored after 60 seconds', async () => {
    const { issuer, one, two, asked, pass, token } = await world();
    void one.refreshed(); // its process is gone: nothing answers it
    await asked(1);
    const waiting = two.refreshed();
    for (let second = 0; second < 59; second += 1) await pass(1000);
    expect(issuer.asked).toHaveLength(1);
    await pass(1500);
    await asked(2);
    issuer.grant(1, 'token-2');
    expect([await waiting, await token()]).toEqual(['ready', 'token-2']);
    issuer.grant(0, 'token-late');
    await pass(100);
    expect(await token()).toBe('token-2');
  });

  it('take the token of a process that died before its record, which follows', async () => {
    const { one, two, issuer, events } = await world();
    const begin = { seen: 0, now: '2026-01-01T00:00:00.000Z', until: '2026-01-01T00:01:00.000Z' };
    await one.decisions.decide(connectionDecider.beginRefresh, id, actor, begin);
    const tokens = { attempt: 1, expires_at: null, accessToken: 'token-1', refreshToken: null };
    await one.secrets.putTokens(id, actor, tokens, { of: 'refreshed', from: { version: 1 } });
    expect(await two.refreshed()).toBe('ready');
    expect(issuer.asked).toHaveLength(0);
    expect(await events()).toEqual(['ConnectionCreated', 'RefreshBegun', 'TokenRefreshed']);
  });

  it('keep an answer that comes late only while no later try began', async () => {
    const { issuer, one, asked, pass, token } = await world();
    const late = one.refreshed();
    await asked(1);
    await pass(61_000);
    issuer.grant(0, 'token-late');
    expect([await late, await token()]).toEqual(['ready', 'token-late']);
  });

  it('drop a token of a secret that was rotated meanwhile', async () => {
    const { issuer, one, two, asked, token } = await world();
    const before = one.refreshed();
    await asked(1);
    await two.secrets.put(id, actor, { secret: 'another-secret' });
    issuer.grant(0, 'token-of-before');
    expect([await before, await token()]).toEqual(['failed', undefined]);
    const after = two.refreshed();
    await asked(2);
    issuer.grant(1, 'token-2');
    expect([await after, await token()]).toEqual(['ready', 'token-2']);
  });

  it('say that the client is refused, and ask no more until it is rotated', async () => {
    const { issuer, one, two, asked } = await world();
    const refused = one.refreshed();
    await asked(1);
    issuer.answer(0, 401, { error: 'invalid_client' });
    expect(await refused).toBe('needs_authorization');
    expect(await two.refreshed()).toBe('needs_authorization');
    expect((await two.directory.find(orgId, id))?.status).toBe('needs_authorization');
    expect(issuer.asked).toHaveLength(1);
    await two.secrets.put(id, actor, { secret: 'another-secret' });
    const again = one.refreshed();
    await asked(2);
    issuer.grant(1, 'token-1');
    expect(await again).toBe('ready');
  });

  it('keep no token of a connection that was deleted meanwhile', async () => {
    const { issuer, one, two, asked, token } = await world();
    const asking = one.refreshed();
    await asked(1);
    await two.secrets.erase(id, actor);
    issuer.grant(0, 'token-1');
    expect([await asking, await token()]).toEqual(['gone', undefined]);
  });
});
