import {
  type Agent,
  Client,
  MailServer,
  type Page,
  allRows,
  createAgent,
  eventually,
  mailSecret,
  script,
  unique,
} from '../harness/index.js';

interface Session {
  id: string;
  metadata: Record<string, unknown>;
  origin: string;
}
interface Row {
  content: { type: string; text?: string }[];
}
interface Inbox {
  agent: Agent;
  address: string;
  connectionId: string;
}
type Body = Record<string, unknown>;

const api = Client.owner();
let server: MailServer;

beforeAll(async () => {
  server = await MailServer.start();
});
afterAll(() => server.close());
beforeEach(() => {
  server.script = () => 'take';
});

async function account(fields: Body = {}): Promise<string> {
  const { id } = await api.post<{ id: string }>(
    '/v1/connections',
    {
      name: unique('mail'),
      kind: 'smtp',
      owner: { kind: 'team' },
      hosts: [server.host],
      username: 'post',
      secret: mailSecret,
      ...fields,
    },
    201,
  );
  await api.put(`/v1/connections/${id}/grants`, { principal_ids: [], everyone: true });
  return id;
}

/** An agent that answers mail of these senders. */
async function inbox(senders: readonly string[], fields: Body = {}, connection: Body = {}): Promise<Inbox> {
  const agent = await createAgent(api, { name: unique('mail'), visibility: 'organization' });
  const { email_address: address } = await api.post<{ email_address: string }>(
    `/v1/agents/${agent.id}/inbox`,
    undefined,
    200,
  );
  const connectionId = await account(connection);
  const binding = { provider: 'email', integration_id: connectionId, enabled: true, sender_allow: senders, ...fields };
  await api.put(`/v1/agents/${agent.id}/messaging-bindings`, binding);
  return { agent, address, connectionId };
}

const sender = () => `${unique('ann').toLowerCase()}@example.org`;
const messageId = () => `<${unique('m')}@example.org>`;
const post = (to: string, from: string, fields: Body = {}) =>
  api.post<{ email_id: string; deduped: boolean }>(
    '/v1/inbound/email',
    { message_id: messageId(), from, to: [to], text: 'Hello', ...fields },
    202,
  );
const answers = (to: string, count: number, withinMs?: number) =>
  eventually(
    `${count} answers to ${to}`,
    () => Promise.resolve(server.to(to).length >= count ? server.to(to) : null),
    withinMs,
  );
const sessionsOf = async ({ connectionId }: Inbox): Promise<Session[]> =>
  (await api.get<Page<Session>>('/v1/sessions', { integration_id: connectionId, limit: 100 })).items;

describe('TE16: mail to an inbox with a binding', () => {
  it('is answered by mail: to its From alone, in its thread, under an id of the exchange', async () => {
    const ann = sender();
    const made = await inbox([ann.toUpperCase()]);
    const [first, second] = [messageId(), messageId()];
    await post(made.address, `Ann <${ann.toUpperCase()}>`, {
      message_id: second,
      subject: 'Grüße',
      text: 'Is it paid?',
      cc: ['cc@example.org'],
      reply_to: 'eve@example.net',
      references: [first],
      in_reply_to: first,
      envelope_from: 'bounces@example.org',
    });
    const [sent] = await answers(ann, 1);
    expect(sent).toMatchObject({ from: made.address, to: [ann], user: 'post' });
    expect(sent?.mail).toMatchObject({
      from: { address: made.address },
      to: [{ address: ann }],
      subject: 'Re: Grüße',
      inReplyTo: second,
      references: `${first} ${second}`,
      text: 'You said: Subject: Grüße\n\nIs it paid?\n',
    });
    expect(sent?.mail.messageId).toMatch(/^<exch_[0-9a-z]+@/);
    expect(sent?.mail.cc).toBeUndefined();
    expect(sent?.mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-replied');
    expect(server.to('cc@example.org').concat(server.to('eve@example.net'))).toEqual([]);
    const [session] = await sessionsOf(made);
    expect(session).toMatchObject({
      origin: 'messaging',
      metadata: { provider: 'email', integration_id: made.connectionId, channel_id: ann, thread_id: first },
    });
  });

  it('has one session for each sender and thread, also when the references are one text or a header', async () => {
    const [ann, bob] = [sender(), sender()];
    const made = await inbox([ann, bob]);
    const first = messageId();
    await post(made.address, ann, { message_id: first, text: 'one' });
    await answers(ann, 1);
    await post(made.address, ann, { references: `${first}\r\n ${messageId()}`, text: 'two' });
    await post(made.address, ann, { headers: { References: [`${first} ${messageId()}`] }, text: 'three' });
    await answers(ann, 3);
    await post(made.address, bob, { references: [first], text: 'four' });
    await post(made.address, ann, { text: 'five' });
    await answers(bob, 1);
    await answers(ann, 4);
    const sessions = await sessionsOf(made);
    expect(sessions).toHaveLength(3);
    const thread = sessions.find(({ metadata: { thread_id: id, channel_id: from } }) => id === first && from === ann);
    const rows = (await allRows(api, thread?.id ?? '')) as unknown as Row[];
    expect(rows.flatMap(({ content }) => content.map(({ text }) => text))).toEqual([
      'one',
      'You said: one',
      'two',
      'You said: two',
      'three',
      'You said: three',
    ]);
  });

  it('that comes again is one message, and its answer one mail', async () => {
    const ann = sender();
    const made = await inbox([ann]);
    const fields = { message_id: messageId(), text: 'once' };
    const taken = await Promise.all(Array.from({ length: 4 }, () => post(made.address, ann, fields)));
    expect(taken.filter(({ deduped }) => !deduped)).toHaveLength(1);
    await answers(ann, 1);
    await post(made.address, ann, { text: 'last' });
    await answers(ann, 2);
    expect(server.to(ann).map(({ mail }) => mail.text)).toEqual(['You said: once\n', 'You said: last\n']);
  });

  it('TE12: agents share an account: each answers from its own inbox', async () => {
    const ann = sender();
    const one = await inbox([ann]);
    const agent = await createAgent(api, { name: unique('mail'), visibility: 'organization' });
    const provisioned = `/v1/agents/${agent.id}/inbox`;
    const { email_address: other } = await api.post<{ email_address: string }>(provisioned, undefined, 200);
    const binding = { provider: 'email', integration_id: one.connectionId, enabled: true, sender_allow: [ann] };
    await api.put(`/v1/agents/${agent.id}/messaging-bindings`, binding);
    for (const address of [one.address, other]) await post(address, ann, { text: address });
    const sent = await answers(ann, 2);
    const said = sent.map(({ from, mail }) => [from, mail.text]).sort();
    expect(said).toEqual([one.address, other].map((address) => [address, `You said: ${address}\n`]).sort());
  });

  it('gets no answer when a program wrote it, it comes from an inbox, or its sender is not allowed', async () => {
    const [ann, eve] = [sender(), sender()];
    const other = await inbox([]);
    const made = await inbox([ann, other.address]);
    const ignored: [string, Body][] = [
      [ann, { headers: { 'auto-submitted': 'auto-replied' } }],
      [ann, { headers: { 'Auto-Submitted': ['no', 'auto-generated'] } }],
      [ann, { headers: { 'List-Id': 'us <us.example.org>' } }],
      [ann, { headers: { Precedence: 'bulk' } }],
      [ann, { headers: { PRECEDENCE: ['junk'] } }],
      [ann, { envelope_from: '' }],
      [ann, { envelope_from: '<>' }],
      [ann, { envelope_from: other.address }],
      [`${ann}, ${eve}`, {}],
      [other.address, {}],
      [made.address, {}],
      [eve, {}],
      [`"${ann}" <${eve}>`, {}],
      [`${ann} <${eve}>`, { reply_to: ann }],
    ];
    for (const [from, fields] of ignored) await post(made.address, from, fields);
    await post(made.address, ann, { headers: { 'Auto-Submitted': 'no', Precedence: 'normal' }, text: 'the last one' });
    const [sent] = await answers(ann, 1);
    expect(sent?.mail.text).toBe('You said: the last one\n');
    expect([ann, eve, other.address, made.address].map((to) => server.to(to).length)).toEqual([1, 0, 0, 0]);
    expect(await sessionsOf(made)).toHaveLength(1);
  });

  it('loops end: a sender has twenty answers within an hour', async () => {
    const [ann, bob] = [sender(), sender()];
    const made = await inbox([ann, bob]);
    for (let n = 0; n < 25; n += 1) await post(made.address, ann, { text: `mail ${n}` });
    await post(made.address, bob, { text: 'another sender' });
    await answers(bob, 1, 60_000);
    await answers(ann, 20, 60_000);
    expect(await sessionsOf(made)).toHaveLength(21);
    expect(server.to(ann)).toHaveLength(20);
  });

  it('an answer that is not taken comes again under its Message-ID; a failed turn sends none', async () => {
    const ann = sender();
    const made = await inbox([ann]);
    const seen: (string | undefined)[] = [];
    server.script = ({ mail }) => {
      seen.push(mail.messageId);
      return seen.length === 1 ? { refuse: 451 } : seen.length === 2 ? 'cut' : 'take';
    };
    await post(made.address, ann, { text: script({ error: { type: 'invalid_request', message: 'no' } }) });
    await post(made.address, ann, { text: 'again' });
    await answers(ann, 2, 60_000);
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(1);
    expect(server.to(ann)[0]?.mail.text).toBe('You said: again\n');
  });

  it('is read as before by an agent without a binding, and is not answered when that comes later', async () => {
    const ann = sender();
    const agent = await createAgent(api, { name: unique('mail'), visibility: 'organization' });
    const { email_address: address } = await api.post<{ email_address: string }>(
      `/v1/agents/${agent.id}/inbox`,
      undefined,
      200,
    );
    await post(address, ann, { text: 'early' });
    const binding = { provider: 'email', integration_id: await account(), enabled: true, sender_allow: [ann] };
    await api.put(`/v1/agents/${agent.id}/messaging-bindings`, binding);
    await post(address, ann, { text: 'late' });
    const [sent] = await answers(ann, 1);
    expect(sent?.mail.text).toBe('You said: late\n');
  });

  it('needs an allowlist and members in the contract’s shape', async () => {
    const made = await inbox([]);
    const body = { provider: 'email', integration_id: made.connectionId, dm_policy: 'open' };
    const bindings = `/v1/agents/${made.agent.id}/messaging-bindings`;
    expect(await api.refused('invalid_argument', 'PUT', bindings, { body })).toMatchObject({ argument: 'dm_policy' });
    for (const wrong of [{ references: 3 }, { headers: { 'list-id': 3 } }, { headers: [] }, { envelope_from: null }])
      await api.refused('bad_request', 'POST', '/v1/inbound/email', {
        body: { from: 'a@example.org', to: [made.address], ...wrong },
        invalid: true,
      });
  });
});
