import { once } from 'node:events';
import { connect } from 'node:net';
import { ManualClock } from '@aos/kernel/testing';
import type { Settings } from '@aos/platform';
import type { InboundMail } from './inbound-mail.js';
import { SmtpListener } from './smtp-listener.js';

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
