import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import PostalMime, { type Email } from 'postal-mime';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { SMTPServer } from 'smtp-server';
import { actionsHost, listenOnOne, reachablePorts } from './actions.js';

/** A mail that the service sent, with its envelope. */
export interface SentMail {
  from: string;
  to: string[];
  user: string | null;
  mail: Email;
  raw: string;
}
/** What a mail server does with a mail: takes it, refuses it, or takes it and cuts the connection before its answer. */
export type MailScript = (sent: SentMail, earlier: number) => 'take' | 'cut' | { refuse: number };

/** Somebody's mail server, without TLS, at an address that the service under test may reach. */
export class MailServer {
  readonly mails: SentMail[] = [];
  script: MailScript = () => 'take';
  /** What it takes as the secret of its users. */
  secret = mailSecret;
  /** Users that came with another secret. */
  refusals = 0;

  private constructor(private readonly server: SMTPServer) {}

  /** Listens where the service under test may reach it; `own`: anywhere, for a suite that starts its own service. */
  static async start(own?: 'own'): Promise<MailServer> {
    const server = new SMTPServer({
      logger: false,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      onAuth: ({ username = '', password }, _session, callback) => {
        if (password === mails.secret) callback(null, { user: username });
        else {
          mails.refusals += 1;
          callback(Object.assign(new Error(`wrong: ${username} ${password}`), { responseCode: 535 }));
        }
      },
      onData: (stream, { user, envelope, id }, callback) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const raw = Buffer.concat(chunks).toString();
          void PostalMime.parse(raw).then((mail) => {
            const { mailFrom, rcptTo } = envelope;
            const from = mailFrom ? mailFrom.address : '';
            const to = rcptTo.map(({ address }) => address);
            const sent = { from, to, user: (user as string | undefined) ?? null, mail, raw };
            const does = mails.script(sent, mails.mails.length);
            if (typeof does === 'object')
              return callback(Object.assign(new Error('refused'), { responseCode: does.refuse }));
            mails.mails.push(sent);
            if (does === 'take') return callback();
            for (const connection of server.connections) if (connection.id === id) connection._socket.destroy();
          }, callback);
        });
      },
    });
    const mails = new MailServer(server);
    server.on('error', () => undefined);
    await listenOnOne(server.server, own ? [0] : reachablePorts());
    return mails;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  /** As a connection of kind `smtp` names it. */
  get host(): string {
    return `${actionsHost}:${this.port}`;
  }

  /** The mails that went to an address. */
  to(address: string): SentMail[] {
    return this.mails.filter(({ to }) => to.includes(address));
  }

  async close(): Promise<void> {
    const closed = once(this.server.server, 'close');
    this.server.close();
    await closed;
  }
}

/** What a mail server takes as the secret of its users, unless a suite says otherwise. */
export const mailSecret = 'a-secret-of-mail';

/** Hands a mail over as another mail server does. Throws when it is not taken. */
export function deliver(port: number, { from, to, raw }: Pick<SentMail, 'from' | 'to' | 'raw'>): Promise<void> {
  const connection = new SMTPConnection({ host: '127.0.0.1', port, ignoreTLS: true, name: 'mail.example' });
  return new Promise<void>((resolve, reject) => {
    connection.on('error', reject);
    connection.on('end', () => reject(new Error('the connection ended')));
    connection.connect(() => {
      connection.send({ from, to }, raw, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }).finally(() => connection.close());
}
