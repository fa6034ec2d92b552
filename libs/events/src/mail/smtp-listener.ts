import type { Socket } from 'node:net';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Address } from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { Clock, rfc3339, messageOf } from '@aos/kernel';
import { Settings, countedAddress, listenFault, serviceActor } from '@aos/platform';
import { systemPrincipalId } from '@aos/access/published';
import { headersByName } from '../email/mail-headers.js';
import { InboundMail, type MailParts } from './inbound-mail.js';
import { Letters } from './letters.js';
import type { Letter } from './read-letter.js';

/** One mail with its attachments. Ours. */
const mailBytesMax = 10 * 1024 * 1024;
const clientsMax = 50;
/** Of those, from one address; an IPv6 network of 64 bits counts as one. */
const clientsPerAddressMax = 20;
const recipientsMax = 100;
const silenceMaxMs = 30_000;
/** A connection is cut after this time, even when it is busy: its sender retries mails that were not taken. */
const connectionMaxMs = 300_000;

/** A failure as SMTP says it. */
class SmtpRefusal extends Error {
  constructor(
    readonly responseCode: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Takes mail for agent inboxes over SMTP, when a port is set. A mail is accepted only when it is in the log; recipients
 * that are no inbox are refused one by one. It relays nothing, knows no accounts and no TLS: it belongs behind a mail
 * server.
 */
@Injectable()
export class SmtpListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('smtp');
  private server: SMTPServer | null = null;
  /** Open connections by address. */
  private readonly clients = new Map<string, number>();

  private readonly letters: Letters;

  constructor(
    private readonly mail: InboundMail,
    private readonly clock: Clock,
    @Inject(Settings) private readonly settings: Settings,
  ) {
    this.letters = new Letters(clock);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { smtpPort, host } = this.settings;
    if (smtpPort === null) return;
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      size: mailBytesMax,
      maxClients: clientsMax,
      socketTimeout: silenceMaxMs,
      logger: false,
      onRcptTo: ({ address }, session, callback) => {
        this.recipient(address, session).then(() => {
          callback();
        }, callback);
      },
      onData: (stream, session, callback) => {
        this.take(stream, session).then(
          (id) => {
            callback(null, `taken as ${id}`);
          },
          (error: unknown) => {
            callback(this.failure(error));
          },
        );
      },
    });
    server.server.prependListener('connection', (socket: Socket) => {
      this.admit(socket);
    });
    server.on('error', (error: Error) => {
      this.log.warn(error.message);
    });
    await new Promise<void>((resolve, reject) => {
      server.server.once('error', (error) => {
        reject(listenFault(error, { setting: 'SVC_SMTP_PORT', port: smtpPort, host }) as Error);
      });
      server.listen(smtpPort, host, resolve);
    });
    this.server = server;
    this.log.log(`listens on ${host}:${this.port}`);
  }

  async onApplicationShutdown(): Promise<void> {
    const { server } = this;
    this.server = null;
    await this.letters.close();
    if (server)
      await new Promise<void>((resolve) => {
        server.close(resolve);
      });
  }

  /** Where it listens; 0 while it does not. */
  get port(): number {
    const address = this.server?.server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  /** Before the server sees the connection: one address leaves places to the others, and none is held for ever. */
  private admit(socket: Socket): void {
    const address = countedAddress(socket.remoteAddress ?? null);
    const count = (this.clients.get(address) ?? 0) + 1;
    this.clients.set(address, count);
    const timer = this.clock.after(connectionMaxMs, () => {
      socket.destroy();
    });
    socket.once('close', () => {
      timer.cancel();
      const left = (this.clients.get(address) ?? 1) - 1;
      if (left > 0) this.clients.set(address, left);
      else this.clients.delete(address);
    });
    if (count <= clientsPerAddressMax) return;
    socket.write('421 too many connections from this address\r\n');
    socket.destroySoon();
  }

  private async recipient(address: string, session: SMTPServerSession): Promise<void> {
    if (session.envelope.rcptTo.length >= recipientsMax) throw new SmtpRefusal(452, 'too many recipients');
    const agent = await this.mail.addressed(address).catch((error: unknown) => {
      throw this.failure(error);
    });
    if (!agent) throw new SmtpRefusal(550, 'no such inbox');
  }

  private async take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= mailBytesMax) chunks.push(chunk); // the rest is read and forgotten, so that the answer is heard
    }
    if (bytes > mailBytesMax) throw new SmtpRefusal(552, 'the mail is too large');
    const read = await this.letters.read(Buffer.concat(chunks));
    if ('failure' in read)
      throw new SmtpRefusal(read.isPassing ? 451 : 554, `the mail cannot be read: ${read.failure}`);
    const parts = partsOf(read.letter, session);
    const recipients = session.envelope.rcptTo.map(({ address }) => address);
    const receivedAt = rfc3339(this.clock.now());
    let emailId = '';
    for (const orgId of await this.organizationsOf(recipients)) {
      const actor = serviceActor(orgId, systemPrincipalId(orgId), `smtp_${session.id}`);
      ({ email_id: emailId } = await this.mail.receive(actor, parts, recipients, receivedAt, 'anybody'));
    }
    return emailId;
  }

  private async organizationsOf(addresses: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>();
    for (const address of addresses) {
      const agent = await this.mail.addressed(address);
      if (agent) found.add(agent.org_id);
    }
    if (found.size === 0) throw new SmtpRefusal(550, 'no such inbox');
    return found;
  }

  /** What is not a refusal of ours is a trouble of ours: the sender keeps the mail and comes again. */
  private failure(error: unknown): Error {
    if (error instanceof SmtpRefusal) return error;
    this.log.warn(messageOf(error));
    return new SmtpRefusal(451, 'try again later');
  }
}

function partsOf(mail: Letter, session: SMTPServerSession): MailParts {
  const { mailFrom, rcptTo } = session.envelope;
  const to = addressesOf(mail.to);
  return {
    from: addressesOf(mail.senders).join(', ') || (mailFrom ? mailFrom.address : ''),
    to: to.length > 0 ? to : rcptTo.map(({ address }) => address),
    cc: addressesOf(mail.cc),
    attachments: mail.attachments.map(({ filename, mimeType, content }) => {
      const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
      return { name: filename ?? '', mime_type: mimeType, size_bytes: bytes.byteLength, bytes };
    }),
    envelope_from: mailFrom ? mailFrom.address : '',
    headers: headersByName(mail.headers.map(({ key, value }) => [key, value])),
    ...present({
      message_id: mail.messageId,
      reply_to: addressesOf(mail.replyTo)[0],
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      in_reply_to: mail.inReplyTo,
      references: mail.references,
    }),
  };
}

function present<T extends Record<string, string | undefined>>(members: T): { [member in keyof T]?: string } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== '')) as {
    [member in keyof T]?: string;
  };
}

/** Mailboxes, also those in groups, as `Name <a@b>` or `a@b`. */
function addressesOf(addresses: readonly Address[] | undefined): string[] {
  return (addresses ?? [])
    .flatMap((one) => one.group ?? [one])
    .filter(({ address }) => Boolean(address))
    .map(({ name, address }) => (name ? `${name} <${address}>` : String(address)));
}
