import { once } from 'node:events';
import { connect } from 'node:net';
import { ManualClock } from '@aos/kernel/testing';
import type { AgentRecord } from '@aos/definitions/published';
import type { Settings } from '@aos/platform';
import type { InboundMail } from './inbound-mail.js';
import { Letters } from './letters.js';
import { SmtpListener } from './smtp-listener.js';

it.each([
  ['From: Ann <a@b.example>, Bob <c@d.example>', 'Ann <a@b.example>, Bob <c@d.example>'],
  ['From: a@b.example\r\nFrom: c@d.example', 'a@b.example, c@d.example'],
  ['From: Us: a@b.example, c@d.example;', 'a@b.example, c@d.example'],
  ['From: "Doe, Ann" <a@b.example>', 'Doe, Ann <a@b.example>'],
  ['Subject: no sender', 'envelope@example.org'],
])('TE16: a mail is from all senders that it names: %j', async (header, from) => {
  const taken: string[] = [];
  const mail: Pick<InboundMail, 'addressed' | 'receive'> = {
    addressed: () => Promise.resolve({ org_id: 'org_1' } as AgentRecord),
    receive: (_actor, parts) => {
      taken.push(parts.from);
      return Promise.resolve({ email_id: 'email_1', agent_ids: [], deduped: false });
    },
  };
  const settings = { smtpPort: 0, host: '127.0.0.1' } as Settings;
  const listener = new SmtpListener(mail as InboundMail, new ManualClock(), settings);
  await listener.onApplicationBootstrap();
  const socket = connect(listener.port, '127.0.0.1');
  const answer = async () => String((await once(socket, 'data'))[0]).slice(0, 3);
  await answer();
  const say = (line: string) => {
    socket.write(`${line}\r\n`);
    return answer();
  };
  await say('HELO client');
  for (const body of ['small', 'large\r\n'.repeat(10_000)]) {
    await say('MAIL FROM:<envelope@example.org>');
    await say('RCPT TO:<agent@inbox.localhost>');
    await say('DATA');
    expect(await say(`${header}\r\n\r\n${body}\r\n.`)).toBe('250');
  }
  expect(taken).toEqual([from, from]);
  socket.destroy();
  await listener.onApplicationShutdown();
});

it('a connection over SMTP is cut after five minutes, whatever moves on it', async () => {
  const clock = new ManualClock();
  const listener = new SmtpListener({} as InboundMail, clock, { smtpPort: 0, host: '127.0.0.1' } as Settings);
  await listener.onApplicationBootstrap();
  const socket = connect(listener.port, '127.0.0.1').on('error', () => undefined);
  const said = async () => String((await once(socket, 'data'))[0]).slice(0, 3);
  expect(await said()).toBe('220');
  for (let minute = 0; minute < 4; minute += 1) {
    clock.advance(60_000);
    socket.write('NOOP\r\n');
    expect(await said()).toBe('250');
  }
  clock.advance(60_000);
  await once(socket, 'close');
  expect(clock.pendingTimers).toBe(0);
  await listener.onApplicationShutdown();
});

it('rule R15: a mail that finds too many waiting is put off, not refused for good', async () => {
  const read = jest.spyOn(Letters.prototype, 'read');
  read.mockResolvedValue({ failure: 'too many mails wait to be read', isPassing: true });
  const mail = { addressed: () => Promise.resolve({}) } as unknown as InboundMail;
  const settings = { smtpPort: 0, host: '127.0.0.1' } as Settings;
  const listener = new SmtpListener(mail, new ManualClock(), settings);
  await listener.onApplicationBootstrap();
  const socket = connect(listener.port, '127.0.0.1');
  let said = String((await once(socket, 'data'))[0]);
  for (const line of ['EHLO client', 'MAIL FROM:<ann@example.org>', 'RCPT TO:<inbox@example.org>', 'DATA', 'x\r\n.']) {
    socket.write(`${line}\r\n`);
    said = String((await once(socket, 'data'))[0]);
  }
  expect(said).toBe('451 the mail cannot be read: too many mails wait to be read\r\n');
  socket.destroy();
  await listener.onApplicationShutdown();
  read.mockRestore();
});
