import {
  type ActionServer,
  type Agent,
  type Answer,
  type Client,
  type OAuthIssuer,
  type Session,
  type Artifact,
  converse,
  createAgent,
  createSession,
  person,
  script,
  sendForm,
  unique,
  upload,
} from '../harness/index.js';
import { answerFaults } from '../harness/client.js';
import { operationOf } from '../harness/contract.js';

export const returnOrigin = 'https://app.example.com';
const team = { kind: 'team' };

interface Named {
  id: string;
}

/** A call of an operation that writes what the release before does not read. */
export interface PendingCall {
  operationId: string;
  path: string;
  /**
   * The same call each time: refused while releases run side by side, carried out afterwards. With `other` by another
   * caller, or to another path of the operation.
   */
  send(other?: { client?: Client; path?: string }): Promise<Answer<unknown>>;
}

/** What the calls are made of, and what else waits while releases run side by side. */
export interface Furniture {
  calls: PendingCall[];
  /** Person that proposals are made to. */
  ann: { id: string; client: Client };
  proposer: Agent;
  /** Its address got the events of the feed so far. */
  hook: { path: string };
  connectionId: string;
}

/** A file as a form. */
const file = (client: Client, path: string) =>
  sendForm(
    client,
    [
      ['name', unique('file')],
      ['file', Buffer.from('some bytes'), 'f.txt'],
    ],
    { path },
  );

/**
 * Makes one thing of each kind that this release brought, and gives a call of each operation that changes them, in an
 * order in which all of them can be carried out.
 */
export async function furnish(api: Client, server: ActionServer, issuer: OAuthIssuer): Promise<Furniture> {
  const calls: PendingCall[] = [];
  const call = (method: string, path: string, body?: () => unknown, client = api) => {
    const { operationId = '' } = operationOf(method, path) ?? {};
    const send: PendingCall['send'] = (other) =>
      (other?.client ?? client).send(method, other?.path ?? path, body ? { body: body() } : {});
    calls.push({ operationId, path, send });
  };
  const form = (path: string) => {
    const { operationId = '' } = operationOf('POST', path) ?? {};
    calls.push({ operationId, path, send: (other) => file(other?.client ?? api, other?.path ?? path) });
  };
  const { origin } = new URL(server.at('/', () => ({})));
  await organization(api, call);
  const agent = await createAgent(api, { name: unique('upgraded'), visibility: 'organization' });
  await actions(api, server, call);
  const connectionId = await connections(api, issuer, origin, { calls, call });
  await files(api, agent, { call, form });
  const hook = await webhooks(api, server, call);
  await messaging(api, server, agent, call);
  const ann = await person(api, 'Admin');
  call('PATCH', `/v1/resources/agent/${agent.id}/ownership`, () => ({ owner: { kind: 'person', id: ann.id } }));
  call('PATCH', `/v1/agents/${agent.id}`, () => ({ visibility: 'restricted', stranded_disposition: 'delete' }));
  const proposer = await proposals(api, ann, call);
  return { calls, ann, proposer, hook, connectionId };
}

type AddCall = (method: string, path: string, body?: () => unknown, client?: Client) => void;

async function organization(api: Client, call: AddCall): Promise<void> {
  const path = '/v1/organization/oauth-return-origins';
  await api.put(path, { origins: [returnOrigin] });
  call('PUT', path, () => ({ origins: [returnOrigin, 'https://other.example.com'] }));
}

async function actions(api: Client, server: ActionServer, call: AddCall): Promise<void> {
  const [provider, made, changed] = ['crm', unique('made'), unique('changed')];
  const endpoint_url = server.at('/action', () => ({ body: {} }));
  await api.post('/v1/actions', { name: changed, endpoint_url }, 201);
  call('POST', '/v1/actions', () => ({ name: made, endpoint_url, provider }));
  call('PATCH', `/v1/actions/${changed}`, () => ({ provider }));
}

async function connections(
  api: Client,
  issuer: OAuthIssuer,
  origin: string,
  { calls, call }: { calls: PendingCall[]; call: AddCall },
): Promise<string> {
  const saved = issuer.provider([origin]);
  const [used, unused] = [unique('used').toLowerCase(), unique('unused').toLowerCase()];
  for (const provider of [used, unused]) await api.put(`/v1/providers/${provider}`, saved);
  const account = { owner: team, hosts: [origin] };
  const key = () => ({ ...account, name: unique('account'), kind: 'api_key', secret: 'a-secret-of-its-own' });
  const code = { owner: team, name: unique('code'), kind: 'oauth2_authorization_code', provider: used };
  const { id } = await api.post<Named>('/v1/connections', key(), 201);
  const { id: codeId } = await api.post<Named>('/v1/connections', code, 201);
  const begun = await api.post<{ authorization_url: string }>(
    `/v1/connections/${codeId}/authorize`,
    { return_to: `${returnOrigin}/` },
    200,
  );
  const { search } = await issuer.visit(begun.authorization_url);
  let receipt = 'not-there-yet';
  call('PUT', `/v1/providers/${unused}`, () => saved);
  call('POST', '/v1/connections', key);
  call('PATCH', `/v1/connections/${id}`, () => ({ name: unique('renamed') }));
  call('PUT', `/v1/connections/${id}/grants`, () => ({ principal_ids: [], everyone: true }));
  call('POST', `/v1/connections/${id}/rotate`, () => ({ secret: 'another-secret' }));
  calls.push({
    operationId: 'receiveOAuthCallback',
    path: '/v1/oauth/callback',
    send: async () => {
      const answer = await callback(api, search);
      const location = answer.headers.get('location');
      if (location !== null) receipt = new URL(location).searchParams.get('receipt') ?? '';
      return answer;
    },
  });
  call('POST', `/v1/connections/${codeId}/authorize/complete`, () => ({ receipt }));
  call('POST', `/v1/connections/${codeId}/authorize`, () => ({ return_to: `${returnOrigin}/` }));
  call('DELETE', `/v1/connections/${id}`);
  call('DELETE', `/v1/providers/${unused}`);
  return codeId;
}

/** What a browser is answered that comes back from a provider. */
async function callback(api: Client, search: string): Promise<Answer<unknown>> {
  const path = '/v1/oauth/callback';
  const response = await fetch(`${api.baseUrl}${path}${search}`, { redirect: 'manual' });
  const text = await response.text();
  const faults = answerFaults(operationOf('GET', path), response, text);
  if (faults.length > 0) throw new Error(`the answer to GET ${path} breaks the contract:\n${faults.join('\n')}`);
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? null : (JSON.parse(text) as unknown),
  };
}

async function files(
  api: Client,
  agent: Agent,
  { call, form }: { call: AddCall; form: (path: string) => void },
): Promise<void> {
  const session: Session = await createSession(api, agent.id, { mode: 'new' });
  const path = `/v1/sessions/${session.id}/attachments`;
  const attached = ((await file(api, path)).body as { artifact: Artifact }).artifact;
  const own = await upload(api, 'own bytes');
  form('/v1/artifacts');
  call('DELETE', `/v1/artifacts/${own.id}`);
  form(path);
  call('DELETE', `${path}/${attached.id}`);
}

async function webhooks(api: Client, server: ActionServer, call: AddCall): Promise<{ path: string }> {
  const path = '/hook';
  const body = { url: server.at(path, () => ({ status: 204, body: '' })), event_types: ['crm.*'] };
  await api.post('/v1/webhooks', body, 201);
  const { id } = await api.post<Named>('/v1/webhooks', { ...body, url: `${body.url}-other` }, 201);
  const one = { id: unique('e'), event_type: 'crm.deal.won', integration_id: 'crm', event: { n: 0 } };
  const { event_id } = await api.post<{ event_id: string }>('/v1/inbound/events', one, 202);
  call('POST', '/v1/webhooks', () => ({ ...body, url: `${body.url}-third` }));
  call('PATCH', `/v1/webhooks/${id}`, () => ({ description: unique('hook') }));
  call('POST', `/v1/webhooks/${id}/rotate`);
  call('POST', `/v1/webhooks/${id}/enable`, () => ({}));
  call('POST', `/v1/webhooks/${id}/redeliver`, () => ({ event_id }));
  call('DELETE', `/v1/webhooks/${id}`);
  return { path };
}

async function messaging(api: Client, server: ActionServer, agent: Agent, call: AddCall): Promise<void> {
  const url = server.at('/bridge', () => ({ status: 204, body: '' }));
  const account = { owner: team, kind: 'channel_webhook', hosts: [new URL(url).origin], url };
  const { id: integration_id } = await api.post<Named>('/v1/connections', { ...account, name: 'channel' }, 201);
  await api.put(`/v1/connections/${integration_id}/grants`, { principal_ids: [], everyone: true });
  const bindings = `/v1/agents/${agent.id}/messaging-bindings`;
  const bound = await api.put<Named>(bindings, { provider: 'webhook', integration_id, enabled: true });
  call('PUT', bindings, () => ({ provider: 'webhook', integration_id, enabled: true, mentions: false }));
  call('POST', '/v1/inbound/messages', () => ({
    id: 'message-1',
    provider: 'webhook',
    integration_id,
    channel: { id: 'D1', kind: 'dm' },
    sender: { id: 'U1' },
    text: 'said in a channel',
  }));
  call('DELETE', `${bindings}/${bound.id}`);
}

async function proposals(api: Client, ann: Furniture['ann'], call: AddCall): Promise<Agent> {
  const agent = await createAgent(api, {
    name: unique('proposer'),
    visibility: 'organization',
    action_selectors: ['svc.routine.propose', 'svc.artifact.save'].map((selector) => ({
      selector_type: 'exact',
      selector,
    })),
  });
  await converse(ann.client, agent.id, script(proposalOf(agent), proposalOf(agent), { say: 'done' }));
  const { items } = await ann.client.get<{ items: Named[] }>('/v1/routines/proposals');
  const [first, second] = items.map(({ id }) => `/v1/routines/proposals/${id}`);
  call('POST', `${first ?? ''}/approve`, undefined, ann.client);
  call('POST', `${second ?? ''}/dismiss`, undefined, ann.client);
  return agent;
}

/** The call of a model that proposes a routine. */
export const proposalOf = ({ id }: Agent) => ({
  call: {
    name: 'svc_routine_propose',
    input: {
      request: {
        agent_id: id,
        name: unique('proposed'),
        instructions: 'Look at it.',
        per_occurrence_ceiling_milli: 0,
        daily_ceiling_milli: 0,
        schedule: { interval: '24h' },
      },
    },
  },
});
