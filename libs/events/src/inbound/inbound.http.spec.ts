import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Blobs, type JsonObject } from '@aos/kernel';
import { eventually, freePort } from '@aos/kernel/testing';
import { SystemClock } from '@aos/adapters/system';
import { Decisions, serviceActor, startApp, type RunningApp } from '@aos/platform';
import { AccessModule, Organizations } from '@aos/access';
import { newRecord, resourceKindOf, team } from '@aos/definitions/published';
import { EventsModule } from '../events.module.js';
import { emailKind } from '../email/email.events.js';
import { SmtpListener } from '../mail/smtp-listener.js';
import { families } from '../publishing/families.js';
import { faultsAgainst } from '../testing/contract-schema.js';
import { sqliteWorld } from '../testing/sqlite-world.fixture.js';

const clock = new SystemClock();
let app: RunningApp;
let key = '';
let orgId = '';
const agentId = 'agent_00000000000000000000000001';
const inbox = `${agentId}@inbox.localhost`;
let closeFiles: () => Promise<void>;

interface Answer {
  status: number;
  body: JsonObject;
}

async function call(method: string, path: string, body?: JsonObject): Promise<Answer> {
  const response = await fetch(`${app.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: (await response.json()) as JsonObject };
}

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-'));
  const world = await sqliteWorld(directory, clock);
  closeFiles = world.close;
  app = await startApp('stream-service', [world.module, AccessModule, EventsModule], {
    clock,
    graceMs: 200,
    env: {
      SVC_PORT: '0',
      SVC_SMTP_PORT: String(await freePort()),
      SVC_DATA_DIR: directory,
      SVC_RATE_LIMIT_KEY_RPM: '0',
      SVC_RATE_LIMIT_ORG_RPM: '0',
      SVC_LOG_LEVEL: 'error',
    },
  });
  orgId = await app.nest.get(Organizations, { strict: false }).ensureFirst({}, (made) => {
    key = made.ownerKey;
  });
  const { kind, blueprint } = resourceKindOf('agent');
  const wire = { ...blueprint.blank({ key: '', name: 'postmaster' }), email_address: inbox };
  const record = newRecord(
    { id: agentId, orgId, type: 'agent', custody: { owner: team, visibility: 'organization', members: [] }, wire },
    { principalId: 'svc_1', at: '2026-01-01T00:00:00.000Z' },
  );
  await app.nest
    .get(Decisions, { strict: false })
    .run(kind, agentId, serviceActor(orgId, 'svc_1', 'test'), () => [
      { type: 'AgentCreated' as const, data: { record } },
    ]);
});

afterAll(async () => {
  await app?.stop();
  await closeFiles();
});

async function eventsOf(query: string, count: number): Promise<JsonObject[]> {
  const found = await eventually(`${count} events`, async () => {
    const { status, body } = await call('GET', `/v1/events?limit=100&${query}`);
    const items = body.items as JsonObject[] | undefined;
    return status === 200 && items?.length === count ? items : null;
  });
  return found ?? [];
}

describe('provider events', () => {
  const sent = {
    id: 'ev-1',
    event_type: 'github.issue.opened',
    integration_id: 'int_7',
    occurred_at: '2026-02-01T10:00:00+01:00',
    event: { number: 3 },
  };

  it('are taken once per integration and id, and told as they came', async () => {
    const first = await call('POST', '/v1/inbound/events', sent);
    expect(first).toMatchObject({ status: 202, body: { deduped: false } });
    const again = await call('POST', '/v1/inbound/events', { ...sent, event: { number: 4 } });
    expect(again).toMatchObject({ status: 202, body: { deduped: true, event_id: first.body.event_id } });
    expect((await call('POST', '/v1/inbound/events', { ...sent, integration_id: 'int_8' })).body.deduped).toBe(false);
    const [event] = await eventsOf('source_id=int_7', 1);
    expect(event).toMatchObject({
      event_type: 'github.issue.opened',
      source_kind: 'integration',
      source_id: 'int_7',
      event: { number: 3 },
      meta: {
        id: first.body.event_id,
        provider: 'github',
        integration_id: 'int_7',
        occurred_at: '2026-02-01T09:00:00.000Z',
      },
    });
    const { body } = await call('GET', '/v1/catalog/events');
    const sources = body.items as JsonObject[];
    expect(sources.map(({ prefix }) => prefix)).toEqual([...families.map(({ prefix }) => prefix), 'github']);
    expect(sources.at(-1)).toMatchObject({
      kind: 'integration',
      readiness: 'ready',
      event_types: [{ name: 'github.issue.opened' }],
    });
    expect(JSON.stringify(body)).not.toContain('$ref');
    expect(faultsAgainst('EventCatalogResponse', body)).toEqual([]);
  });

  it.each(['id', 'integration_id'])('have no half of a character in their %s', async (argument) => {
    expect(await call('POST', '/v1/inbound/events', { ...sent, id: 'half', [argument]: 'a\ud83d' })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_argument', details: { argument, reason: 'half_character' } } },
    });
  });

  it('may not use our own or reserved names, and have a size', async () => {
    for (const event_type of ['session.message.created', 'interaction.event', 'svc.thing.done']) {
      expect(await call('POST', '/v1/inbound/events', { ...sent, id: 'x', event_type })).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_argument', details: { argument: 'event_type' } } },
      });
    }
    expect((await call('POST', '/v1/inbound/events', { ...sent, event_type: 'nodots' })).body).toMatchObject({
      error: { code: 'bad_request' },
    });
    const type = (length: number) => `${'x'.repeat(length - '.event'.length)}.event`;
    expect((await call('POST', '/v1/inbound/events', { ...sent, event_type: type(201) })).body).toMatchObject({
      error: { code: 'invalid_argument', details: { argument: 'event_type', reason: 'too_long' } },
    });
    expect((await call('POST', '/v1/inbound/events', { ...sent, id: 'z', event_type: type(200) })).status).toBe(202);
    expect(
      await call('POST', '/v1/inbound/events', { ...sent, id: 'y', event: { text: 'x'.repeat(300 * 1024) } }),
    ).toMatchObject({ status: 413, body: { error: { code: 'payload_too_large' } } });
  });
});

describe('mail', () => {
  it('handed over reaches the agents it names, once per message id', async () => {
    const mail = {
      message_id: '<1@example.org>',
      from: 'Ann <ann@example.org>',
      to: [`Post <${inbox.toUpperCase()}>`, 'x@example.org'],
      subject: 'Hi',
      text: 'Hello',
      attachments: [{ name: 'a.pdf', mime_type: 'application/pdf', size_bytes: 3 }],
    };
    const first = await call('POST', '/v1/inbound/email', mail);
    expect(first).toMatchObject({ status: 202, body: { agent_ids: [agentId], deduped: false } });
    expect(await call('POST', '/v1/inbound/email', mail)).toMatchObject({
      status: 202,
      body: { ...first.body, deduped: true },
    });
    const attachments = [{ name: 'a.pdf', mime_type: 'application/pdf', size_bytes: -1 }];
    const short = { ...mail, message_id: '<0@example.org>', attachments };
    expect(await call('POST', '/v1/inbound/email', short)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_argument', details: { argument: 'attachments', reason: 'negative_size' } } },
    });
    const [event] = await eventsOf('event_type=email.received', 1);
    expect(event).toMatchObject({
      source_kind: 'email',
      source_id: first.body.email_id,
      meta: { agent_id: agentId },
      event: {
        email_id: first.body.email_id,
        agent_id: agentId,
        message_id: '<1@example.org>',
        from: 'Ann <ann@example.org>',
        cc: [],
        subject: 'Hi',
        text: 'Hello',
      },
    });
    expect(await call('POST', '/v1/inbound/email', { ...mail, to: ['nobody@example.org'] })).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  });

  it('comes in over SMTP: known inboxes only, and only when it is kept', async () => {
    const port = app.nest.get(SmtpListener, { strict: false }).port;
    const said = await smtp(port, [
      'EHLO client',
      'MAIL FROM:<ann@example.org>',
      'RCPT TO:<nobody@example.org>',
      `RCPT TO:<${inbox}>`,
      'DATA',
      [
        'Message-ID: <2@example.org>',
        'From: =?utf-8?q?J=C3=B6rg?= <j@example.org>',
        `To: ${inbox}`,
        'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
        'Content-Type: text/plain; charset=utf-8',
        '',
        'Über SMTP',
        '.',
      ].join('\r\n'),
      'QUIT',
    ]);
    expect(said.map((line) => line.slice(0, 3))).toEqual(['220', '250', '250', '550', '250', '354', '250', '221']);
    const events = await eventsOf('event_type=email.received', 2);
    expect(events[1]).toMatchObject({
      event: {
        message_id: '<2@example.org>',
        from: 'Jörg <j@example.org>',
        to: [inbox],
        subject: 'Grüße',
        text: expect.stringContaining('Über SMTP') as string,
      },
    });
  });

  it('keeps attachments as blobs, tells only what they are, and takes a mail once however often it comes', async () => {
    const letter = [
      'Message-ID: <3@example.org>',
      'From: ann@example.org',
      `To: ${inbox}`,
      'Subject: with a file',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'see there',
      '--b',
      'Content-Type: application/pdf',
      'Content-Disposition: attachment; filename=a.pdf',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('%PDF-1').toString('base64'),
      '--b--',
      '.',
    ].join('\r\n');
    for (let times = 0; times < 2; times += 1) await delivered(letter);
    const events = await eventsOf('event_type=email.received', 3);
    expect((events[2]?.event as JsonObject).attachments).toEqual([
      { name: 'a.pdf', mime_type: 'application/pdf', size_bytes: 6 },
    ]);
    const digest = createHash('sha256').update('%PDF-1').digest('hex');
    expect(Buffer.from((await app.nest.get(Blobs, { strict: false }).get(orgId, digest)) ?? []).toString()).toBe(
      '%PDF-1',
    );
    const [arrived] = await app.nest
      .get(Decisions, { strict: false })
      .read(emailKind, String(events[2]?.source_id).slice('email_'.length), { limit: 1 });
    expect(arrived).toMatchObject({ type: 'EmailArrived', data: { email: { attachments: [{ digest }] } } });
  });

  it('a letter that cannot be read is refused for good, not put off', async () => {
    const deep = Array.from(
      { length: 400 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    ).join('');
    const { port } = app.nest.get(SmtpListener, { strict: false });
    const said = await smtp(port, [
      'EHLO client',
      'MAIL FROM:<ann@example.org>',
      `RCPT TO:<${inbox}>`,
      'DATA',
      `Message-ID: <5@example.org>\r\n${deep}\r\n.`,
      'QUIT',
    ]);
    expect(said.map((line) => line.slice(0, 3))).toEqual(['220', '250', '250', '250', '354', '554', '221']);
  });

  it('a letter over 10 MiB is refused, announced or not, and nothing of it is kept', async () => {
    const { port } = app.nest.get(SmtpListener, { strict: false });
    const announced = await smtp(port, ['EHLO client', `MAIL FROM:<ann@example.org> SIZE=${11 * 1024 * 1024}`, 'QUIT']);
    expect(announced.map((line) => line.slice(0, 3))).toEqual(['220', '250', '552', '221']);
    const line = `${'x'.repeat(998)}\r\n`;
    const said = await smtp(port, [
      'EHLO client',
      'MAIL FROM:<ann@example.org>',
      `RCPT TO:<${inbox}>`,
      'DATA',
      `Message-ID: <4@example.org>\r\n\r\n${line.repeat(10_600)}.`,
      'QUIT',
    ]);
    expect(said.map((answer) => answer.slice(0, 3))).toEqual(['220', '250', '250', '250', '354', '552', '221']);
    await eventsOf('event_type=email.received', 3);
  });

  it('rule R15: a message id that another mail has used by SMTP keeps no mail away, by SMTP or from the relay', async () => {
    const letter = (from: string, subject: string, text: string) =>
      ['Message-ID: <6@example.org>', `From: ${from}`, `To: ${inbox}`, `Subject: ${subject}`, '', text, '.'].join(
        '\r\n',
      );
    const letters = [
      letter('eve@example.org', 'Bill', 'Pay'),
      letter('ann@example.org', 'Bill', 'Pay'),
      letter('ann@example.org', 'Other', 'Pay'),
      letter('ann@example.org', 'Bill', 'Do not pay'),
    ];
    for (const one of [...letters, ...letters]) await delivered(one);
    await eventsOf('event_type=email.received', 7);
    const relayed = {
      message_id: '<6@example.org>',
      from: 'ann@example.org',
      to: [inbox],
      subject: 'Bill',
      text: 'Pay',
      attachments: [{ name: 'x', mime_type: 'y', size_bytes: 1, bytes: { length: 3 } }],
    };
    expect((await call('POST', '/v1/inbound/email', relayed)).body).toMatchObject({ deduped: false });
    expect((await call('POST', '/v1/inbound/email', { ...relayed, text: 'again' })).body).toMatchObject({
      deduped: true,
    });
    const events = await eventsOf('event_type=email.received', 8);
    expect((events[7]?.event as JsonObject).attachments).toEqual([{ name: 'x', mime_type: 'y', size_bytes: 1 }]);
  });

  it('one address has twenty places over SMTP, gets them back, and leaves the rest to the others', async () => {
    const { port } = app.nest.get(SmtpListener, { strict: false });
    const greeting = async (from: string) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from }).on('error', () => undefined);
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      return { socket, code: chunk.toString().slice(0, 3) };
    };
    const first = await Promise.all(Array.from({ length: 20 }, () => greeting('127.0.0.1')));
    expect(new Set(first.map(({ code }) => code))).toEqual(new Set(['220']));
    const over = await greeting('127.0.0.1');
    const other = await greeting('127.0.0.2');
    expect([over.code, other.code]).toEqual(['421', '220']);
    for (const { socket } of [...first, over, other]) socket.destroy();
    await eventually('a place again', async () => {
      const { socket, code } = await greeting('127.0.0.1');
      socket.destroy();
      return code === '220';
    });
  });
});

/** Sends a whole letter and has it accepted. */
async function delivered(letter: string): Promise<void> {
  const said = await smtp(app.nest.get(SmtpListener, { strict: false }).port, [
    'EHLO client',
    'MAIL FROM:<ann@example.org>',
    `RCPT TO:<${inbox}>`,
    'DATA',
    letter,
    'QUIT',
  ]);
  expect(said.map((line) => line.slice(0, 3))).toEqual(['220', '250', '250', '250', '354', '250', '221']);
}

/** Says each line when the one before was answered; gives the last line of every answer. */
function smtp(port: number, lines: readonly string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const answers: string[] = [];
    const waiting = [...lines];
    let text = '';
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (chunk) => {
      text += chunk.toString();
      const last = text.trimEnd().split('\r\n').at(-1) ?? '';
      if (!text.endsWith('\r\n') || !/^\d{3} /.test(last)) return;
      answers.push(last);
      text = '';
      const next = waiting.shift();
      if (next !== undefined) socket.write(`${next}\r\n`);
    });
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(answers);
    });
  });
}
