import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@aos/kernel/testing';
import { OwnService } from '../harness/embedded.js';
import {
  type Agent,
  type Client,
  MailServer,
  type Page,
  createAgent,
  deliver,
  eventually,
  gateShare,
  mailSecret,
  unique,
} from '../harness/index.js';

const folder = mkdtempSync(join(tmpdir(), 'aos-mail-'));
const file = join(folder, 'name');
const types = [
  'EmailArrived',
  'MailPaced',
  'MessageArrived',
  'TurnQueued',
  'ExchangeAdmitted',
  'TurnCompleted',
  'ReplyBegun',
  'ReplyDelivered',
];
const places = gateShare(
  [
    ...types.flatMap((type) => [`before-append ${type}`, `after-append ${type}`]),
    'before-reply',
    'after-reply',
    'before-handle channel_mail',
    'after-handle channel_mail',
  ],
  // those of replies first: a try that fell with its process is taken up again while the others are met
  [
    'before-reply',
    'after-reply',
    'before-append ReplyDelivered',
    'after-append EmailArrived',
    'after-append MailPaced',
    'before-append ExchangeAdmitted',
    'after-handle channel_mail',
  ],
);
const senders = Array.from({ length: 10 }, (_, n) => `sender-${n}@example.org`);
const perPlace = 5;
export const mailsInAll = perPlace * places.length;
/** A try that fell with its process is taken up again after a minute. */
const answeredMs = 150_000;

let server: MailServer;
let service: OwnService;
let api: Client;
let smtpPort = 0;
/** What was sent while the service was killed. */
let mails: { id: string; from: string }[] = [];
let connectionId = '';

export async function startMails(): Promise<void> {
  writeFileSync(file, '');
  server = await MailServer.start('own');
  smtpPort = await freePort();
  service = await OwnService.start({
    SVC_FAILPOINT: file,
    SVC_SMTP_PORT: String(smtpPort),
    SVC_EGRESS_ALLOW: server.host,
  });
  api = service.client;
}

export async function removeMails(): Promise<void> {
  await service.remove();
  await server.close();
  rmSync(folder, { recursive: true });
}

/** An agent that answers mail of these senders; gives its inbox, and the connection that its sessions name. */
async function inbox(senderAllow: readonly string[]): Promise<{ address: string; connectionId: string }> {
  const agent: Agent = await createAgent(api, { name: unique('mail'), visibility: 'organization' });
  const { email_address: address } = await api.post<{ email_address: string }>(
    `/v1/agents/${agent.id}/inbox`,
    undefined,
    200,
  );
  const account = { name: unique('mail'), kind: 'smtp', owner: { kind: 'team' }, hosts: [server.host] };
  const { id } = await api.post<{ id: string }>(
    '/v1/connections',
    { ...account, username: 'post', secret: mailSecret },
    201,
  );
  await api.put(`/v1/connections/${id}/grants`, { principal_ids: [], everyone: true });
  const binding = { provider: 'email', integration_id: id, enabled: true, sender_allow: senderAllow };
  await api.put(`/v1/agents/${agent.id}/messaging-bindings`, binding);
  return { address, connectionId: id };
}

const letter = (id: string, from: string, to: string, headers: readonly string[] = []) => ({
  from,
  to: [to],
  raw: [`Message-ID: ${id}`, `From: ${from}`, `To: ${to}`, ...headers, '', `said ${id}`, ''].join('\r\n'),
});
/** As a mail server does: a mail that was not taken is handed over again. */
const sendUntilTaken = (mail: ReturnType<typeof letter>) =>
  eventually('the mail to be taken', () =>
    deliver(smtpPort, mail).then(
      () => true,
      () => null,
    ),
  );
const answersTo = (id: string) => server.mails.filter(({ mail }) => mail.inReplyTo === id);

/** Sends mails, and lets the service die at each step of theirs. */
export async function killAtMails(): Promise<void> {
  const made = await inbox(senders);
  connectionId = made.connectionId;
  const name = unique('m');
  mails = Array.from({ length: mailsInAll }, (_, n) => ({
    id: `<${name}-${n}@example.org>`,
    from: senders[n % senders.length] ?? '',
  }));
  for (const [index, place] of places.entries()) {
    const some = mails.slice(index * perPlace, (index + 1) * perPlace);
    writeFileSync(file, place);
    const taken = Promise.all(some.map(({ id, from }) => sendUntilTaken(letter(id, from, made.address))));
    await service.ended();
    writeFileSync(file, '');
    await service.run();
    await taken;
  }
}

/** Each mail is answered, again only under its Message-ID, and has a session with one turn. */
export async function expectAnswers(): Promise<void> {
  expect(mails).toHaveLength(mailsInAll);
  await eventually(
    'an answer to each mail',
    () => Promise.resolve(mails.every(({ id }) => answersTo(id).length > 0)),
    answeredMs,
  );
  for (const { id, from } of mails) {
    const answers = answersTo(id);
    expect(new Set(answers.map(({ mail }) => mail.messageId)).size).toBe(1);
    for (const { to, mail } of answers) {
      expect(to).toEqual([from]);
      expect(mail).toMatchObject({ references: id, text: `You said: said ${id}\n` });
    }
  }
  const answers = mails.flatMap(({ id }) => answersTo(id));
  expect(new Set(answers.map(({ mail }) => mail.messageId)).size).toBe(mailsInAll);
  const sessions = await api.get<Page<{ id: string }>>('/v1/sessions', { integration_id: connectionId, limit: 100 });
  expect(sessions.items).toHaveLength(mailsInAll);
  for (const { id } of sessions.items)
    expect((await api.get<Page<object>>(`/v1/sessions/${id}/turns`)).items).toHaveLength(1);
}

/** A loop with a program that answers each mail ends, also of one that hides what it is. */
export async function expectLoopsToEnd(): Promise<void> {
  const [polite, rude, last] = ['polite@example.org', 'rude@example.org', 'last@example.org'];
  const { address } = await inbox([polite, rude, last]);
  let number = 0;
  const back: Promise<unknown>[] = [];
  server.script = ({ to: [from = ''], mail }) => {
    const id = `<loop-${(number += 1)}@example.org>`;
    const headers = [`In-Reply-To: ${mail.messageId ?? ''}`, `References: ${mail.references ?? ''}`];
    const polites = from === polite ? ['Auto-Submitted: auto-replied'] : [];
    if (from !== last) back.push(sendUntilTaken(letter(id, from, address, [...headers, ...polites])));
    return 'take';
  };
  await sendUntilTaken(letter('<loop@example.org>', polite, address));
  await sendUntilTaken(letter('<rude@example.org>', rude, address));
  await eventually('the loop to reach its end', () => Promise.resolve(server.to(rude).length >= 20));
  await Promise.all(back);
  await sendUntilTaken(letter('<last@example.org>', last, address));
  await eventually('the answer to the last mail', () => Promise.resolve(server.to(last).length > 0));
  expect([server.to(polite).length, server.to(rude).length]).toEqual([1, 20]);
}
