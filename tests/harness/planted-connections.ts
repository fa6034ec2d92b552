import type { ActionServer, ActionScript } from './actions.js';
import type { Client } from './client.js';
import { eventsAfter } from './events.js';
import { Place, exchange, requestTo, servedOperations } from './generators/index.js';
import type { MailServer } from './mails.js';
import type { OAuthIssuer } from './oauth-issuer.js';
import { workedTurn } from './planted-worker.js';
import { rawRequest } from './raw.js';
import { reading } from './reading.js';
import type { Found, SecretSearch } from './secret-search.js';
import {
  allRows,
  createAgent,
  createSession,
  invoke,
  person,
  reaches,
  script,
  settled,
  startTurn,
  unique,
} from './service.js';
import { eventually } from './waiting.js';
import type { TurnAck } from './wire.js';

type Body = Record<string, unknown>;
interface Made {
  id: string;
  signing_secret?: string;
}
interface Sent {
  name: string;
  provider: string;
  path: string;
}

export const plantedReturnOrigin = 'https://app.example.com';
/** What asks for an answer that shows a secret of ours, once and on purpose (rules TE20, TE121). */
export const showingSecrets = /^POST \/v1\/(connections(\/[^/]+\/rotate)?|webhooks)$/;
/** Characters that JSON, HTTP and addresses write in many ways. */
const around = ' p&ß"\\/+ ';

/**
 * Connections of every kind with secrets that are looked for, each used at an endpoint that echoes all it was sent: in
 * its reply, as lines of progress, in errors, in the context that a reply gives, and in a result that it brings later.
 */
export class PlantedConnections {
  /** Stands in names that may be seen: what a search must find. */
  readonly marker = unique('marked');
  /** What came on the streams of its sessions while their turns ran, and what else was read. */
  readonly read = new Map<string, string>();
  /** Shown to endpoints only; a log and a span have none. */
  readonly callbackTokens: string[] = [];
  private readonly sessions: string[] = [];
  private readonly agents: string[] = [];
  private readonly connections: string[] = [];
  /** Paths of the action server that a secret may come to in a body. */
  readonly tokenPaths: string[] = [];
  private readonly provider = unique('prov').toLowerCase();

  constructor(
    private readonly api: Client,
    private readonly search: SecretSearch,
    private readonly server: ActionServer,
    private readonly issuer: OAuthIssuer,
    private readonly mails: MailServer,
  ) {}

  /** Web hooks first, so that they get what happens then. */
  async plant(): Promise<void> {
    this.search.add(this.issuer.clientSecret);
    await this.api.put('/v1/organization/oauth-return-origins', { origins: [plantedReturnOrigin] });
    await this.api.put(`/v1/providers/${this.provider}`, this.issuer.provider([this.origin]));
    await this.hook();
    for (const echo of this.echoes()) for (const fields of this.kinds()) await this.used(fields, echo);
    await this.authorized();
    await this.broughtLater();
    await this.worked();
    await this.answeredInChannel();
    await this.answeredByMail();
    await this.refusedByIssuers();
    await this.refused();
  }

  private get origin(): string {
    return new URL(this.server.at('/', () => ({}))).origin;
  }

  private path(word: string, answer: ActionScript): { path: string; url: string } {
    const path = `/${unique(word)}`;
    return { path, url: this.server.at(path, answer) };
  }

  /** Each way in which an endpoint may tell what it was sent. */
  private echoes(): ActionScript[] {
    const type = (contentType: string) => ({ contentType });
    return [
      ({ headers }) => ({ body: { headers: headers, text: JSON.stringify(headers) } }),
      ({ headers }) => ({ status: 400, body: `bad: ${JSON.stringify(headers)}`, ...type('text/plain') }),
      ({ headers }) => ({
        lines: (async function* () {
          yield await Promise.resolve({ progress: { said: headers } });
          yield { output: headers };
        })(),
      }),
      ({ headers }) => ({
        ...type('application/vnd.svc.action+json'),
        body: { output: {}, context: [{ name: 'echo', content: JSON.stringify(headers) }] },
      }),
    ];
  }

  private kinds(): Body[] {
    const token = this.tokenEndpoint();
    return [
      { kind: 'api_key', secret: this.search.secret(around) },
      { kind: 'api_key', header: 'X-Key', format: 'Key {secret}', secret: this.search.secret() },
      { kind: 'basic', username: 'shop', secret: this.search.secret() },
      { kind: 'headers', headers: { 'X-One': this.search.secret(), 'X-Two': this.search.secret(around) } },
      { kind: 'oauth2_client_credentials', client_id: 'c', token_endpoint: token, secret: this.search.secret() },
    ];
  }

  /** Gives another access token at each ask. */
  private tokenEndpoint(): string {
    const { path, url } = this.path('token', () => ({
      body: { access_token: this.search.secret(), token_type: 'Bearer', refresh_token: this.search.secret() },
    }));
    this.tokenPaths.push(path);
    return url;
  }

  private async hook(): Promise<void> {
    const event_types = ['session.*', 'interaction.*', 'memory.*', 'table.*', 'email.*'];
    const { url } = this.path('hook', () => ({ status: 200 }));
    const { signing_secret: secret = '' } = await this.api.post<Made>('/v1/webhooks', { url, event_types }, 201);
    this.search.add(secret);
  }

  /** A worker that is a model and carries out an action, and a callback: both are given what an endpoint echoed. */
  private async worked(): Promise<void> {
    const made = await this.action(({ headers }) => ({ body: { headers } }));
    await this.connect({ kind: 'api_key', provider: made.provider, secret: this.search.secret(around) });
    const { received, answer } = await workedTurn(this.api, made, this.marker);
    this.read.set('frames of a worker', received);
    await this.calledBack(answer);
  }

  private async calledBack(said: string): Promise<void> {
    const answerer = await person(this.api);
    const called = this.path('called', () => ({ status: 200 }));
    const http_subscriber = { callback_url: called.url, signing_secret: this.search.secret() };
    const { id } = await this.api.post<Made>(
      '/v1/interactions',
      {
        kind: 'request_information',
        title: this.marker,
        target_user_ids: [answerer.id],
        spec: { questions: [{ id: 'q', prompt: 'q', mode: 'input' }] },
        consumer: { kind: 'http_subscriber', http_subscriber },
      },
      201,
    );
    const answers = [{ question_id: 'q', text: said }];
    await answerer.client.post(`/v1/interactions/${id}/respond`, { answers }, 200);
    const requests = () => this.server.on(called.path);
    await eventually('the callback', () => Promise.resolve(requests().length > 0));
    this.read.set('a callback', JSON.stringify(requests().map(({ headers, raw }) => [headers, raw.toString()])));
  }

  private async action(answer: ActionScript, provider = unique('prov').toLowerCase()): Promise<Sent> {
    const name = `${this.marker}-${unique('act')}`;
    const { path, url } = this.path('act', answer);
    await this.api.post('/v1/actions', { name, endpoint_url: url, provider }, 201);
    return { name, provider, path };
  }

  private async connect(fields: Body): Promise<Made> {
    const account = { name: this.marker, owner: { kind: 'team' }, hosts: [this.origin] };
    const made = await this.api.post<Made>('/v1/connections', { ...account, ...fields }, 201);
    await this.api.put(`/v1/connections/${made.id}/grants`, { principal_ids: [], everyone: true });
    this.connections.push(made.id);
    if (made.signing_secret) this.search.add(made.signing_secret);
    return made;
  }

  private async agentFor({ name, provider }: Sent): Promise<string> {
    const { id } = await createAgent(this.api, {
      name: `${this.marker}-${unique('agent')}`,
      action_selectors: [{ selector_type: 'exact', selector: name }],
      integration_access: [{ provider }],
    });
    this.agents.push(id);
    return id;
  }

  /** Secrets that came where none belongs: in an address, in a body, in a header of a delivery or a callback. */
  wronglySent(): Found[] {
    const requests = this.server.requests.flatMap(({ path, headers, raw }) => {
      const isToken = this.tokenPaths.includes(path);
      const isCall = isToken || /^\/(act|later|token)-/.test(path);
      const others = isCall ? '' : JSON.stringify(headers);
      return this.search.in(`to ${path}`, `${path} ${isToken ? '' : raw.toString()} ${others}`);
    });
    const letters = this.mails.mails.flatMap(({ raw, to }) => this.search.in(`mail to ${to.join()}`, raw));
    return [...requests, ...letters];
  }

  /** Reads all that can be read of it, through the client, and what does not come as one answer. */
  async readAll(): Promise<void> {
    const paths = [
      ...this.agents.flatMap((id) => [`/v1/agents/${id}`, `/v1/agents/${id}/actions`, `/v1/agents/${id}/inbox`]),
      ...this.connections.map((id) => `/v1/connections/${id}`),
      `/v1/providers/${this.provider}`,
      '/metrics',
    ];
    for (const path of paths) this.read.set(path, (await rawRequest(this.api, 'GET', path)).text);
    for (const id of this.sessions) {
      await allRows(this.api, id, { include: 'context' });
      for (const part of ['', '/turns', '/nudges', '/context']) {
        const path = `/v1/sessions/${id}${part}`;
        this.read.set(path, (await rawRequest(this.api, 'GET', path)).text);
      }
    }
    const none = { name: 'none', client: this.api, principalId: '' };
    const place = new Place(this.api);
    for (const operation of await servedOperations(this.api)) {
      if (operation.method !== 'GET' || operation.pathParameters.length > 0) continue;
      const request = await requestTo(operation, place, none);
      const limit: Record<string, string> = operation.query.some(({ name }) => name === 'limit')
        ? { limit: '100' }
        : {};
      const { bytes } = await exchange(this.api, { ...request, query: { ...request.query, ...limit } });
      this.read.set(operation.id, bytes);
    }
    const { events } = await eventsAfter(this.api, undefined);
    this.read.set('the whole feed', JSON.stringify(events));
  }

  /** In a turn, whose answer says what the call gave, and by a direct invocation; again after a rotation. */
  private async used(fields: Body, echo: ActionScript): Promise<void> {
    const made = await this.action(echo);
    const { id } = await this.connect({ ...fields, provider: made.provider });
    await this.called(made, await this.agentFor(made));
    await this.api.send('POST', `/v1/actions/${made.name}/invoke`, { body: { input: {} } });
    const body = fields.headers ? { headers: { 'X-One': this.search.secret() } } : { secret: this.search.secret() };
    await this.api.post(`/v1/connections/${id}/rotate`, body, 200);
    await this.api.send('POST', `/v1/actions/${made.name}/invoke`, { body: { input: {} } });
  }

  private async called({ name, path }: Sent, agentId: string): Promise<TurnAck> {
    const { id } = await createSession(this.api, agentId, { mode: 'new' });
    this.sessions.push(id);
    const paths = ['stream', 'transcript/stream'].map((each) => `/v1/sessions/${id}/${each}`);
    const streams = await Promise.all(paths.map((each) => reading(this.api, each)));
    const steps = script({ call: { name, input: {} } }, { read: 'last_tool_result' });
    const ack = await startTurn(this.api, id, steps);
    await settled(this.api, ack);
    for (const [index, stream] of streams.entries()) {
      this.read.set(`open ${paths[index] ?? ''}`, stream.bytes());
      stream.close();
    }
    if (this.server.on(path).length === 0) throw new Error(`${path} was not called: ${await this.text(ack)}`);
    return ack;
  }

  private async text({ session_id: id }: TurnAck): Promise<string> {
    return JSON.stringify((await allRows(this.api, id)).map(({ content }) => content)).slice(0, 2000);
  }

  /** An account that is authorized at the issuer; code, receipt and access token are secrets too. */
  private async authorized(): Promise<void> {
    const made = await this.action(({ headers }) => {
      this.search.add(String(headers.authorization).replace('Bearer ', ''));
      return { body: { headers } };
    }, this.provider);
    const fields = { kind: 'oauth2_authorization_code', provider: this.provider, hosts: undefined };
    const { id } = await this.connect(fields);
    const begun = { return_to: `${plantedReturnOrigin}/` };
    const { authorization_url: url } = await this.api.post<{ authorization_url: string }>(
      `/v1/connections/${id}/authorize`,
      begun,
      200,
    );
    const { search } = await this.issuer.visit(url);
    const back = await fetch(this.api.url(`/v1/oauth/callback${search}`), { redirect: 'manual' });
    const receipt = new URL(back.headers.get('location') ?? '').searchParams.get('receipt') ?? '';
    this.search.add(new URLSearchParams(search).get('code') ?? '', receipt);
    await this.api.post(`/v1/connections/${id}/authorize/complete`, { receipt }, 200);
    await this.called(made, await this.agentFor(made));
  }

  /** A call that the endpoint takes, shows the progress of, and brings the result of: all of it echoes. */
  private async broughtLater(): Promise<void> {
    const name = `${this.marker}-${unique('later')}`;
    const deferred = { status: 202, headers: { 'x-svc-result': 'deferred' } };
    const { path, url } = this.path('later', () => deferred);
    const action = { key: 'a', name, type: 'http', endpoint: url, annotations: { long_running: true } };
    await this.api.post('/v1/blueprints/apply', { blueprint_key: name, resources: { actions: [action] } }, 200);
    const provider = unique('prov').toLowerCase();
    await this.api.patch(`/v1/actions/${name}`, { provider });
    const { id } = await this.connect({ kind: 'api_key', provider, secret: this.search.secret(around) });
    const agentId = await this.agentFor({ name, provider, path });
    // the account has another secret, and the action none, when the result comes
    const changes = {
      output: () => this.api.post(`/v1/connections/${id}/rotate`, { secret: this.search.secret() }, 200),
      error: () => this.api.patch(`/v1/actions/${name}`, { provider: null }),
    };
    for (const [index, how] of (['output', 'error'] as const).entries()) {
      const steps = script({ call: { name, input: {} } }, { read: 'last_tool_result' });
      const ack = await invoke(this.api, agentId, steps);
      await eventually('the call', () => Promise.resolve(this.server.on(path).length > index));
      await reaches(this.api, ack, 'waiting');
      const headers = this.server.on(path).at(-1)?.headers ?? {};
      const token = String(headers['x-svc-callback-token']);
      this.callbackTokens.push(token);
      await changes[how]();
      const at = `/v1/deliveries/${String(headers['x-svc-delivery-id'])}`;
      const bearer = this.api.as(token);
      await bearer.send('POST', `${at}/progress`, { body: { progress: { headers } }, expect: 204 });
      const body = how === 'output' ? { output: headers } : { error: JSON.stringify(headers).slice(0, 4000) };
      await bearer.send('POST', `${at}/result`, { body, expect: 204 });
      await settled(this.api, ack);
      this.sessions.push(ack.session_id);
    }
  }

  /** A message of a channel, in whose turn an echoing action is called; the bridge refuses and says why. */
  private async answeredInChannel(): Promise<void> {
    const made = await this.action(({ headers }) => ({ body: { headers } }));
    await this.connect({ kind: 'api_key', provider: made.provider, secret: this.search.secret() });
    const agentId = await this.agentFor(made);
    let signing = '';
    const { path, url } = this.path('bridge', (request, earlier) =>
      earlier === 0
        ? { status: 503, body: JSON.stringify([signing, request.headers]), contentType: 'text/plain' }
        : { status: 204, body: '' },
    );
    const channel = await this.connect({ kind: 'channel_webhook', url });
    signing = channel.signing_secret ?? '';
    const binding = { provider: 'slack', integration_id: channel.id, enabled: true };
    await this.api.put(`/v1/agents/${agentId}/messaging-bindings`, binding);
    const said = script({ call: { name: made.name, input: {} } }, { read: 'last_tool_result' });
    const at = { channel: { id: 'D1', kind: 'dm' }, sender: { id: 'U1' } };
    const message = { id: unique('m'), provider: 'slack', integration_id: channel.id, ...at, text: said };
    await this.api.post('/v1/inbound/messages', message, 202);
    await eventually('a reply', () => Promise.resolve(this.server.on(path).length > 0));
    const { signing_secret: next = '' } = await this.api.post<Made>(`/v1/connections/${channel.id}/rotate`, {}, 200);
    this.search.add(next);
  }

  /** An account of mail whose server says in its refusal what it was sent, and one whose server takes the answer. */
  private async answeredByMail(): Promise<void> {
    const agentId = (await createAgent(this.api, { name: `${this.marker}-${unique('mail')}` })).id;
    this.agents.push(agentId);
    const inbox = await this.api.post<{ email_address: string }>(`/v1/agents/${agentId}/inbox`, undefined, 200);
    const account = { kind: 'smtp', username: 'post', hosts: [this.mails.host] };
    const { id } = await this.connect({ ...account, secret: this.search.secret() });
    const ann = `${unique('ann').toLowerCase()}@example.org`;
    const binding = { provider: 'email', integration_id: id, enabled: true, sender_allow: [ann] };
    await this.api.put(`/v1/agents/${agentId}/messaging-bindings`, binding);
    const letter = { from: ann, to: [inbox.email_address], text: 'Hello' };
    const refusals = this.mails.refusals;
    await this.api.post('/v1/inbound/email', { ...letter, message_id: `<${unique('m')}@example.org>` }, 202);
    await eventually('a refusal', () => Promise.resolve(this.mails.refusals > refusals));
    this.mails.secret = this.search.secret();
    await this.api.post(`/v1/connections/${id}/rotate`, { secret: this.mails.secret }, 200);
    await this.api.post('/v1/inbound/email', { ...letter, message_id: `<${unique('m')}@example.org>` }, 202);
    await eventually('an answer', () => Promise.resolve(this.mails.to(ann).length > 0));
  }

  /** Token endpoints that refuse, fail, and give what is no token. */
  private async refusedByIssuers(): Promise<void> {
    const bodies: ActionScript[] = [
      ({ headers, raw }) => ({
        status: 401,
        body: { error: 'invalid_client', error_description: JSON.stringify([headers, raw.toString()]) },
      }),
      ({ headers }) => ({ status: 400, body: { error: String(headers.authorization) } }),
      ({ headers }) => ({ status: 500, body: JSON.stringify(headers), contentType: 'text/plain' }),
      ({ headers }) => ({ body: { access_token: 7, token_type: 'Bearer', headers } }),
    ];
    for (const answer of bodies) {
      const made = await this.action(() => ({}));
      const { url } = this.path('token', answer);
      const client = { kind: 'oauth2_client_credentials', client_id: 'c', token_endpoint: url };
      await this.connect({ ...client, provider: made.provider, secret: this.search.secret() });
      await this.api.send('POST', `/v1/actions/${made.name}/invoke`, { body: { input: {} } });
    }
  }

  /** Requests that are refused, with a secret in each place of them. */
  private async refused(): Promise<void> {
    const secret = this.search.secret();
    const account = { name: 'x', kind: 'api_key', owner: { kind: 'team' }, hosts: [this.origin] };
    const bodies: Body[] = [
      { ...account, secret: `${secret}\n` },
      { ...account, secret: secret.repeat(400) },
      { ...account, secret: { value: secret } },
      { ...account, secret, format: 'no place' },
      { ...account, kind: 'headers', headers: { Cookie: secret } },
      { ...account, kind: 'headers', headers: { 'X-A': `${secret}\r\n` } },
      { ...account, kind: 'basic', secret },
      { ...account, kind: 'smtp', secret },
      { ...account, kind: 'channel_webhook', secret },
      { ...account, kind: 'oauth2_authorization_code', secret },
      { ...account, kind: 'oauth2_client_credentials', secret },
    ];
    for (const body of bodies) await this.api.send('POST', '/v1/connections', { body, invalid: true });
    for (const id of [this.connections[0], 'conn_00000000000000000000000000']) {
      await this.api.send('POST', `/v1/connections/${id}/rotate`, { body: { secret: `${secret}\t` } });
      await this.api.send('POST', `/v1/connections/${id}/rotate`, { body: { secret: [secret] }, invalid: true });
    }
    const provider = { ...this.issuer.provider([this.origin]), client_secret: secret };
    for (const wrong of [
      { client_secret: `${secret}\n` },
      { issuer: 'nothing' },
      { token_endpoint: 'http://10.0.0.1/' },
    ])
      await this.api.send('PUT', `/v1/providers/${unique('p').toLowerCase()}`, {
        body: { ...provider, ...wrong },
        invalid: true,
      });
    for (const broken of [`{"secret": "${secret}`, `{"secret": ${secret}}`, `"${secret}"`])
      for (const path of ['/v1/connections', `/v1/connections/${this.connections[0] ?? ''}/rotate`])
        await this.broken(path, broken);
  }

  private async broken(path: string, body: string): Promise<void> {
    const response = await fetch(this.api.url(path), { method: 'POST', headers: this.api.headers(), body });
    const found = this.search.in(`POST ${path}`, await response.text());
    if (found.length > 0) throw new Error(`a body that is no JSON comes back: ${JSON.stringify(found)}`);
    if (response.status < 400) throw new Error(`${path} took ${body.slice(0, 10)}`);
  }
}
