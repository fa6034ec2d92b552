import { createServer, type AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SystemClock } from '@aos/adapters/system';
import { EgressFailure, type OutgoingMail } from '@aos/kernel';
import { ManualClock, SilentTrap, bypassForms } from '@aos/kernel/testing';
import { GuardedEgress, type Resolve } from './index.js';
import { connectPinned } from './pinned-connection.js';
import { handMailOver } from './mail-handover.js';
import { ownCertificate } from './testing/certificate.fixture.js';

const host = 'mail.example';
const own = ownCertificate(host);

interface Got {
  user: string | null;
  from: string;
  to: string[];
  text: string;
  secure: boolean;
}

/** A mail server, what it was given, and the user names that were said to it. */
async function mailServer(options: SMTPServerOptions = {}, address = '127.0.0.1') {
  const got: Got[] = [];
  const users: string[] = [];
  const server = new SMTPServer({
    logger: false,
    onAuth: ({ username = '', password }, _session, callback) => {
      users.push(username);
      if (password === 'right') callback(null, { user: username });
      else callback(Object.assign(new Error('wrong'), { responseCode: 535 }));
    },
    onRcptTo: ({ address }, _session, callback) =>
      callback(address.startsWith('gone@') ? Object.assign(new Error('gone'), { responseCode: 550 }) : null),
    onData: (stream, { user, envelope, secure }, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope;
        got.push({
          user: (user as string | undefined) ?? null,
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
          secure,
        });
        callback();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(resolve));
  return { port, got, users, close };
}

const mailTo = (port: number, changes: Partial<OutgoingMail> = {}): OutgoingMail => ({
  host: '127.0.0.1',
  port,
  orgId: 'org_1',
  username: 'post',
  secret: 'right',
  from: 'agent_1@inbox.example',
  to: 'ann@example.org',
  message: Buffer.from('Subject: Hello\r\n\r\nHi\r\n.\r\nthere\r\n'),
  timeoutMs: 10_000,
  ...changes,
});

const failureOf = async (sent: Promise<unknown>): Promise<EgressFailure> => {
  const outcome: unknown = await sent.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(outcome instanceof EgressFailure)) throw new Error(`expected an EgressFailure, got ${String(outcome)}`);
  return outcome;
};
const allowing = (...pairs: string[]) => new GuardedEgress({ clock: new SystemClock(), allow: pairs });

describe('mail on its way out (rule TE16)', () => {
  it('is handed over whole, with the user name, to the one address', async () => {
    const server = await mailServer({ allowInsecureAuth: true, disabledCommands: ['STARTTLS'] });
    const egress = allowing(`127.0.0.1:${server.port}`);
    expect(await egress.sendMail(mailTo(server.port))).toEqual({ status: 250, refused: null });
    const { message, ...expected } = mailTo(server.port);
    expect(server.got).toEqual([
      { user: 'post', from: expected.from, to: [expected.to], text: Buffer.from(message).toString(), secure: false },
    ]);
    await server.close();
  });

  it('reaches a server at an address of IPv6', async () => {
    const server = await mailServer({ disabledCommands: ['AUTH', 'STARTTLS'] }, '::1');
    const egress = allowing(`[::1]:${server.port}`);
    expect(await egress.sendMail(mailTo(server.port, { host: '[::1]' }))).toEqual({ status: 250, refused: null });
    await server.close();
  });

  it('says which step the server refused, and with what', async () => {
    const server = await mailServer({ allowInsecureAuth: true, disabledCommands: ['STARTTLS'] });
    const egress = allowing(`127.0.0.1:${server.port}`);
    expect(await egress.sendMail(mailTo(server.port, { secret: 'wrong' }))).toEqual({ status: 535, refused: 'auth' });
    const gone = mailTo(server.port, { to: 'gone@example.org' });
    expect(await egress.sendMail(gone)).toEqual({ status: 550, refused: 'mail' });
    expect(server.got).toEqual([]);
    await server.close();
  });

  it('gives a server that takes no user names the mail without one', async () => {
    const server = await mailServer({ disabledCommands: ['AUTH', 'STARTTLS'] });
    const egress = allowing(`127.0.0.1:${server.port}`);
    expect(await egress.sendMail(mailTo(server.port))).toEqual({ status: 250, refused: null });
    expect(server.got).toMatchObject([{ user: null }]);
    await server.close();
  });

  it.each([
    ['begins with STARTTLS', {}, 587],
    ['speaks TLS from the first byte', { secure: true }, 465],
  ])(
    'outside the allow list believes a certificate for its host only, from a server that %s',
    async (_how, how, port) => {
      const server = await mailServer({ ...own, ...how });
      const over = async (changes: Partial<OutgoingMail>, ca?: string) => {
        const { signal } = new AbortController();
        const socket = await connectPinned({
          host,
          port: server.port,
          secure: false,
          addresses: ['127.0.0.1'],
          signal,
        });
        const mail = mailTo(port, { host, ...changes });
        const answer = await handMailOver(socket, mail, { mustBeSecure: true, ...(ca !== undefined && { ca }) });
        socket.destroy();
        return answer;
      };
      const refused = { status: null, refused: 'tls' };
      expect(await over({})).toEqual(refused);
      expect(await over({ host: 'other.example' }, own.cert)).toEqual(refused);
      expect([server.users, server.got]).toEqual([[], []]);
      expect(await over({}, own.cert)).toEqual({ status: 250, refused: null });
      expect(server.got).toMatchObject([{ user: 'post', secure: true }]);
      await server.close();
    },
  );

  it('outside the allow list says nothing to a server without TLS', async () => {
    const server = await mailServer({ allowInsecureAuth: true, disabledCommands: ['STARTTLS'] });
    const { signal } = new AbortController();
    const socket = await connectPinned({ host, port: server.port, secure: false, addresses: ['127.0.0.1'], signal });
    const answer = await handMailOver(socket, mailTo(587, { host }), { mustBeSecure: true });
    expect(answer).toMatchObject({ refused: 'tls' });
    socket.destroy();
    expect([server.users, server.got]).toEqual([[], []]);
    await server.close();
  });

  describe('to an address that is not public (rule TE132)', () => {
    let trap: SilentTrap;
    beforeAll(async () => {
      trap = await SilentTrap.set();
    });
    afterAll(() => {
      trap.close();
    });

    it.each(bypassForms)('never leaves: %s', async (form) => {
      const { port } = trap;
      for (const each of [port, 25, 465, 587]) {
        const failure = await failureOf(allowing().sendMail(mailTo(each, { host: form })));
        expect(['endpoint_blocked', 'invalid_url']).toContain(failure.reason);
        expect(failure.connected).toBe(false);
      }
      expect(trap.connections).toBe(0);
    });

    it('a name that is rebound is asked for once, and refused with one private address among others', async () => {
      const answers = [['93.184.215.14', '127.0.0.1'], ['93.184.215.14']];
      const asked: string[] = [];
      const resolve: Resolve = (name) => {
        asked.push(name);
        return Promise.resolve((answers[asked.length - 1] ?? []).map((address) => ({ address, family: 4 as const })));
      };
      const egress = new GuardedEgress({ clock: new SystemClock(), allow: [], resolve });
      const failure = await failureOf(egress.sendMail(mailTo(587, { host: 'rebind.example' })));
      expect(failure).toMatchObject({ reason: 'endpoint_blocked', connected: false });
      expect(asked).toEqual(['rebind.example']);
    });

    it('needs an entry of the allow list for any other port', async () => {
      const failure = await failureOf(allowing().sendMail(mailTo(2525, { host: 'mail.example' })));
      expect(failure.message).toBe('port is not allowed: SVC_EGRESS_ALLOW does not name mail.example:2525');
    });
  });

  it('is bounded in time, also by a server that never answers, and given up with its process', async () => {
    let greeted: () => void = () => undefined;
    const silent = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => greeted());
      socket.write('220 mail.example\r\n');
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const clock = new ManualClock();
    const egress = new GuardedEgress({ clock, allow: [`127.0.0.1:${port}`] });
    const met = () => new Promise<void>((resolve) => (greeted = resolve));
    const [first] = [egress.sendMail(mailTo(port)), await met()];
    clock.advance(10_000);
    expect(await failureOf(first)).toMatchObject({ reason: 'timeout', connected: true });
    const process = new AbortController();
    const [second] = [egress.sendMail(mailTo(port, { signal: process.signal })), await met()];
    process.abort();
    expect(await failureOf(second)).toMatchObject({ reason: 'aborted' });
    expect(clock.pendingTimers).toBe(0);
    silent.close();
  });
});
