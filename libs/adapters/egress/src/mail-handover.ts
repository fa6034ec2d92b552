import type { Socket } from 'node:net';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { EgressFailure, type MailAnswer, type OutgoingMail } from '@aos/kernel';

const implicitTlsPort = 465;
const answerBytesMax = 64 * 1024;

export interface Handover {
  /** Without TLS and a certificate for the host nothing is said: neither who sends, nor what. */
  mustBeSecure: boolean;
  /** Certificates to believe in place of the system's. */
  ca?: string;
}

/**
 * Hands one mail over on a connection that is open. The caller bounds it in time and ends the connection.
 *
 * Gives    the server's answer; `refused` names the step that it refused.
 * Refuses  EgressFailure `unreachable` when the connection broke.
 */
export async function handMailOver(
  socket: Socket,
  mail: OutgoingMail,
  { mustBeSecure, ca }: Handover,
): Promise<MailAnswer> {
  const connection = new SMTPConnection({
    connection: socket,
    host: mail.host,
    port: mail.port,
    secure: mail.port === implicitTlsPort,
    requireTLS: mustBeSecure,
    name: mail.from.slice(mail.from.lastIndexOf('@') + 1),
    tls: { rejectUnauthorized: mustBeSecure, ...(ca !== undefined && { ca }) },
    connectionTimeout: mail.timeoutMs,
    greetingTimeout: mail.timeoutMs,
    socketTimeout: mail.timeoutMs,
    socketCloseTimeout: 0,
    maxResponseSize: answerBytesMax,
  });
  connection.on('error', () => undefined); // also after the last step: an error that has no listener ends the process
  let step: NonNullable<MailAnswer['refused']> = 'tls';
  try {
    await steps(connection, (done) => connection.connect(done));
    step = 'auth';
    if (connection.allowsAuth)
      await steps(connection, (done) => connection.login({ user: mail.username, pass: mail.secret }, done));
    step = 'mail';
    const envelope = { from: mail.from, to: [mail.to], size: mail.message.byteLength };
    let status: number | null = null;
    await steps(connection, (done) =>
      connection.send(envelope, Buffer.from(mail.message), (error, info) => {
        status = codeOf(info?.response);
        done(error);
      }),
    );
    return { status, refused: null };
  } catch (error) {
    if (connection.upgrading) return { status: null, refused: 'tls' };
    return refusedAt(step, error);
  } finally {
    connection.close();
  }
}

/** One step; an error of the connection ends it too. */
function steps(connection: SMTPConnection, begin: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(error);
    const broke = () => reject(new Error('the connection broke'));
    connection.once('error', fail);
    connection.once('end', broke);
    begin((error) => {
      connection.removeListener('error', fail);
      connection.removeListener('end', broke);
      if (error) reject(error);
      else resolve();
    });
  });
}

/** What the library throws of a server that answered, or of a connection that is not safe. */
function refusedAt(step: NonNullable<MailAnswer['refused']>, error: unknown): MailAnswer {
  const { code, response, responseCode } = error as { code?: string; response?: string; responseCode?: number };
  const status = responseCode ?? codeOf(response);
  if (code === 'ETLS') return { status, refused: 'tls' };
  if (status !== null || code === 'EMESSAGE' || code === 'EENVELOPE') return { status, refused: step };
  throw new EgressFailure('unreachable', true, 'the mail server does not answer', { cause: error });
}

function codeOf(response: string | undefined): number | null {
  const [, code] = /^(\d{3})/.exec(response ?? '') ?? [];
  return code === undefined ? null : Number(code);
}
