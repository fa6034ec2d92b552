import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newMembers, type JsonObject, type RecordedEvent } from '@aos/kernel';
import { freePort } from '@aos/kernel/testing';
import { declaredNames } from '../golden/declared-names.js';
import { productTexts } from '../golden/source-names.js';
import { contract, type Operation } from '../harness/contract.js';
import { OwnService } from '../harness/embedded.js';
import {
  ActionServer,
  type Answer,
  type Artifact,
  type Client,
  type ErrorBody,
  MailServer,
  OAuthIssuer,
  type Session,
  allRows,
  converse,
  createAgent,
  createSession,
  deliver,
  eventually,
  invoke,
  mailSecret,
  person,
  reaches,
  script,
  sendForm,
  unique,
} from '../harness/index.js';
import { type Furniture, furnish, proposalOf } from './pending-operations.js';
import { recordedEvents } from './recorded-events.js';

jest.setTimeout(360_000);

const publicUrl = 'https://svc.example.com';
const folder = mkdtempSync(join(tmpdir(), 'aos-upgrade-'));
const failpoint = join(folder, 'name');
const settings: Record<string, string> = { SVC_FAILPOINT: failpoint, SVC_PUBLIC_URL: publicUrl };
const { since } = declaredNames(productTexts());

/** Every operation of the contract that may be refused while two releases run side by side. */
const operations = Object.values(contract.paths)
  .flatMap((methods) => Object.values(methods) as Partial<Operation>[])
  .filter((operation) => operation['x-error-codes']?.['409']?.includes('upgrade_pending'));
/** Features of operations that are served by other means than those of their tag. */
const features: Readonly<Record<string, string>> = {
  updateAgent: 'ownership',
  createAction: 'connections',
  updateAction: 'connections',
  receiveOAuthCallback: 'connections',
};
const featureOf = (operationId: string) =>
  features[operationId] ?? operations.find((operation) => operation.operationId === operationId)?.tags?.[0];

let server: ActionServer;
let issuer: OAuthIssuer;
let mails: MailServer;
let service: OwnService;
let api: Client;
let furniture: Furniture;
let smtpPort = 0;

beforeAll(async () => {
  writeFileSync(failpoint, '');
  server = await ActionServer.start('own');
  mails = await MailServer.start('own');
  issuer = await OAuthIssuer.start(`${publicUrl}/v1/oauth/callback`, 'own');
  smtpPort = await freePort();
  settings['SVC_SMTP_PORT'] = String(smtpPort);
  settings['SVC_EGRESS_ALLOW'] = [`127.0.0.1:${server.port}`, mails.host, new URL(issuer.issuer).host].join(',');
  service = await OwnService.start(settings);
  api = service.client;
  furniture = await furnish(api, server, issuer);
});

afterAll(async () => {
  await service.remove();
  await Promise.all([server.close(), mails.close(), issuer.close()]);
  rmSync(folder, { recursive: true });
});

async function restartAs(writes: 'previous' | 'current'): Promise<void> {
  settings['SVC_WRITES'] = writes;
  await service.end('SIGTERM');
  await service.run();
}

/** Features of events that the release before does not read, by their type and by their members. */
function featuresIn(events: readonly RecordedEvent[]): string[] {
  const found = events.flatMap(({ stream, type, data }) => {
    const name = `${stream.slice(0, stream.indexOf('-'))}/${type}`;
    const members = newMembers.filter(({ event, path }) => event === name && holds(data, path));
    return [since.get(name), ...members.map(({ feature, path }) => feature ?? path.join('.'))];
  });
  return [...new Set(found.filter((feature) => feature !== undefined))].sort();
}

function holds(data: JsonObject, path: readonly string[]): boolean {
  let at: unknown = data;
  for (const name of path) at = (at as Record<string, unknown> | null | undefined)?.[name];
  return at !== undefined && at !== null;
}

/** Things that come while releases run side by side, and what they bring about once this one is alone. */
async function waiting() {
  const { address, from } = await inbox();
  const agent = await createAgent(api);
  const session: Session = await createSession(api, agent.id, { mode: 'new' });
  const fields = [
    ['name', unique('file')],
    ['file', Buffer.from('bytes'), 'f.txt'],
  ] as const;
  const sent = await sendForm(api, fields, { path: `/v1/sessions/${session.id}/attachments` });
  const { artifact } = sent.body as { artifact: Artifact };
  const event = { id: unique('e'), event_type: 'crm.deal.won', integration_id: 'crm', event: { n: 1 } };
  const mail = `<${unique('mail')}@example.org>`;
  return {
    come: async () => {
      const { event_id: id } = await api.post<{ event_id: string }>('/v1/inbound/events', event, 202);
      await deliver(smtpPort, {
        from,
        to: [address],
        raw: [`Message-ID: ${mail}`, `From: ${from}`, `To: ${address}`, '', 'said by mail', ''].join('\r\n'),
      });
      await api.delete(`/v1/sessions/${session.id}`);
      return id;
    },
    followed: async (eventId: string) => {
      const isDelivered = () => server.on(furniture.hook.path).some(({ headers }) => headers['webhook-id'] === eventId);
      await eventually('the delivery', () => Promise.resolve(isDelivered()));
      const answers = () => mails.mails.filter(({ mail: { inReplyTo } }) => inReplyTo === mail);
      await eventually('the answer to the mail', () => Promise.resolve(answers().length > 0));
      expect(answers().map(({ to }) => to)).toEqual([[from]]);
      const gone = async () => (await api.send('GET', `/v1/artifacts/${artifact.id}`)).status === 404;
      await eventually('the file to go with its session', gone);
    },
  };
}

/** An agent that answers mail of one sender. */
async function inbox(): Promise<{ address: string; from: string }> {
  const from = 'ann@example.org';
  const agent = await createAgent(api);
  const made = await api.post<{ email_address: string }>(`/v1/agents/${agent.id}/inbox`, undefined, 200);
  const account = { name: unique('mail'), kind: 'smtp', owner: { kind: 'team' }, hosts: [mails.host] };
  const { id: integration_id } = await api.post<{ id: string }>(
    '/v1/connections',
    { ...account, username: 'post', secret: mailSecret },
    201,
  );
  await api.put(`/v1/connections/${integration_id}/grants`, { principal_ids: [], everyone: true });
  const binding = { provider: 'email', integration_id, enabled: true, sender_allow: [from] };
  await api.put(`/v1/agents/${agent.id}/messaging-bindings`, binding);
  return { address: made.email_address, from };
}

/** An agent whose action takes the call and would bring its result itself; `turn` gives the headers of a new call. */
async function deferring() {
  const name = unique('long');
  const endpoint = server.at(`/${name}`, () => ({ status: 202, headers: { 'x-svc-result': 'deferred' } }));
  const action = { key: name, name, type: 'http', endpoint, annotations: { long_running: true } };
  await api.post('/v1/blueprints/apply', { blueprint_key: name, resources: { actions: [action] } }, 200);
  const agent = await createAgent(api, { action_selectors: [{ selector_type: 'exact', selector: name }] });
  const turn = async (status: string) => {
    const earlier = server.on(`/${name}`).length;
    const ack = await invoke(api, agent.id, script({ call: { name, input: {} } }, { say: 'done' }));
    await reaches(api, ack, status);
    // a turn waits for its call before that leaves
    return eventually('the call', () => Promise.resolve(server.on(`/${name}`)[earlier]?.headers));
  };
  return { turn };
}

const codeOf = ({ status, body }: Answer<unknown>) => (status >= 400 ? (body as ErrorBody).error.code : status);

/** The path of a thing that is not there: another id, or another name. */
function unknownPath(path: string): string {
  return path
    .replace(/_[0-9a-z]{26,}(?=\/|$)/g, `_${'0'.repeat(26)}`)
    .replace(/^(\/v1\/(actions|providers))\/[^/]+/, '$1/not-there');
}

/** A person who may change nothing, and things of each kind whose custody is not the caller's to change. */
async function beyondAccess() {
  const viewer = (await person(api, 'Viewer')).client;
  const ann = await person(api);
  const agent = await createAgent(ann.client, { visibility: 'private' });
  const shared = await createAgent(ann.client, { visibility: 'organization' });
  const session: Session = await createSession(ann.client, agent.id, { mode: 'new' });
  const types = ['action', 'agent', 'artifact', 'routine', 'session', 'skill', 'table', 'webhook', 'secret'];
  const unknown = types.map((type) => `${type}/${type}_${'0'.repeat(26)}`);
  const at = (thing: string, code: string) => ({ path: `/v1/resources/${thing}/ownership`, code });
  return {
    viewer,
    owned: [
      ...[...unknown, `agent/${agent.id}`, `session/${session.id}`].map((thing) => at(thing, 'not_found')),
      at(`agent/${shared.id}`, 'permission_denied'),
    ],
  };
}

/** What a model is answered for these calls, in a turn that ends well. */
async function answersFor(...calls: object[]): Promise<{ error: boolean; text: string }[]> {
  const { ann, proposer } = furniture;
  const { ack, turn } = await converse(ann.client, proposer.id, script(...calls, { say: 'done' }));
  expect(turn).toMatchObject({ status: 'completed' });
  const blocks = (await allRows(ann.client, ack.session_id)).flatMap(({ content }) =>
    content.filter(({ type }) => type === 'tool_result'),
  );
  return blocks.map(({ is_error, content }) => ({ error: is_error === true, text: String(content) }));
}

it('VER7, TE130: each operation that the release before cannot follow is refused, leaves nothing, and works afterwards', async () => {
  const { calls, connectionId } = furniture;
  const { come, followed } = await waiting();
  const long = await deferring();
  const beyond = await beyondAccess();
  const { id: behindId } = await api.post<{ id: string }>(
    '/v1/connections',
    { name: 'behind', kind: 'api_key', owner: { kind: 'team' }, hosts: ['https://a.example'], secret: 'a-secret-1' },
    201,
  );
  // a record that does not tell of its secret yet
  writeFileSync(failpoint, 'after-append SecretStored');
  await api.send('POST', `/v1/connections/${behindId}/rotate`, { body: { secret: 'a-secret-2' } }).catch(() => null);
  await service.ended();
  writeFileSync(failpoint, '');
  const before = await recordedEvents(service.folder);

  settings['SVC_WRITES'] = 'previous';
  await service.run();
  for (const { operationId, send } of calls) {
    const { status, body } = await send();
    const { code, details } = (body as ErrorBody).error;
    expect([operationId, status, code, details]).toEqual([
      operationId,
      409,
      'upgrade_pending',
      { feature: featureOf(operationId) },
    ]);
  }
  expect(calls.map(({ operationId }) => operationId).sort()).toEqual(
    operations.map(({ operationId }) => operationId).sort(),
  );
  for (const { operationId, path, send } of calls) {
    // one has no key, and two make what is not there
    if (['receiveOAuthCallback', 'saveProvider'].includes(operationId)) continue;
    expect([operationId, codeOf(await send({ client: beyond.viewer }))]).toEqual([operationId, 'permission_denied']);
    const elsewhere = unknownPath(path);
    if (elsewhere === path) continue;
    expect([operationId, codeOf(await send({ path: elsewhere }))]).toEqual([operationId, 'not_found']);
  }
  for (const { path, code } of beyond.owned)
    expect([path, await api.refused(code, 'PATCH', path, { body: { owner: { kind: 'team' } } })]).toEqual([
      path,
      expect.anything(),
    ]);
  const eventId = await come();
  const save = { call: { name: 'svc_artifact_save', input: { name: 'a.txt', mime: 'text/plain', text: 'a' } } };
  for (const answer of await answersFor(proposalOf(furniture.proposer), save))
    expect(answer).toMatchObject({ error: true, text: expect.stringContaining('upgrade_pending') as string });
  expect(await long.turn('completed')).not.toHaveProperty('x-svc-callback-url');
  for (const id of [behindId, connectionId]) expect(await api.get(`/v1/connections/${id}`)).toMatchObject({ id });
  await service.end('SIGTERM');

  const written = await recordedEvents(service.folder, before.at(-1)?.position);
  expect(featuresIn(written)).toEqual([]);
  const types = new Set(written.map(({ type }) => type));
  for (const type of ['EmailArrived', 'SessionDeleted', 'TurnCompleted']) expect(types).toContain(type);

  await restartAs('current');
  for (const { operationId, send } of calls) {
    const { status, text } = await send();
    if (status >= 400) throw new Error(`${operationId}: ${status} ${text}`);
  }
  expect((await answersFor(proposalOf(furniture.proposer), save)).map(({ error }) => error)).toEqual([false, false]);
  expect(await long.turn('waiting')).toHaveProperty('x-svc-callback-url');
  await followed(eventId);
  await service.end('SIGTERM');
  const all = await recordedEvents(service.folder);
  expect(featuresIn(all)).toEqual(
    [...new Set([...since.values(), ...calls.map((c) => featureOf(c.operationId))])].sort(),
  );
});
