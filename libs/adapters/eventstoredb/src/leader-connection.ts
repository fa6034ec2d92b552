import type { EndPoint, EventStoreDBClient } from '@eventstore/db-client';
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import { readFileSync } from 'node:fs';
import { connect, constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { resolve as pathOf } from 'node:path';
import { callError } from './call-error.js';
import { knownScheme, leaderAddress } from './client.js';
import { Frames, framed } from './frames.js';
import { MessageStream, type MessageListener } from './message-stream.js';
import type { Settings } from './settings.js';

const path = '/event_store.client.streams.Streams/Read';
/** How much may be on its way: of one call, and of all. */
const streamWindow = 1024 * 1024;
const connectionWindow = 8 * 1024 * 1024;
/** Longer than any read on a connection that was left. What follows on it begins anew where it was. */
const leftForMs = 30_000;

/**
 * A connection to the leader for reads and subscriptions, over HTTP/2 as gRPC asks for it. The client finds the leader
 * and knows what errors mean; its own calls take more than twice the processor time (ADRs 49, 68).
 */
export class LeaderConnection {
  private following = 0;
  private watch: NodeJS.Timeout | undefined;

  private constructor(
    private readonly session: ClientHttp2Session,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly pingMs: number,
  ) {
    session.unref(); // the timer of a read under way, or of what follows, keeps the process alive
    session.on('error', () => undefined); // each call on it fails by itself
    session.on('goaway', () => this.leave());
    session.once('connect', () => {
      session.setLocalWindowSize(connectionWindow);
    });
  }

  /** Takes the client that finds the leader, and the leader if a node named it. */
  static async open(
    client: EventStoreDBClient,
    { url, pingMs }: Settings,
    leader: EndPoint | null,
  ): Promise<LeaderConnection> {
    const {
      tls = true,
      tlsCAFile,
      userCertFile,
      userKeyFile,
      defaultCredentials,
    } = parseConnectionString(knownScheme(url));
    const address = leader ? `${leader.address}:${leader.port}` : await leaderAddress(client);
    const file = (name: string | undefined) => (name === undefined ? undefined : readFileSync(pathOf(name)));
    const session = connect(`${tls ? 'https' : 'http'}://${address}`, {
      settings: { enablePush: false, initialWindowSize: streamWindow },
      maxSessionMemory: Number.MAX_SAFE_INTEGER, // windows bound what is on its way, the number of reads the rest
      ...(tls ? { ca: file(tlsCAFile), cert: file(userCertFile), key: file(userKeyFile) } : {}),
    });
    const account = defaultCredentials && `${defaultCredentials.username}:${defaultCredentials.password}`;
    const headers = {
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      [constants.HTTP2_HEADER_TE]: 'trailers',
      'connection-name': client.connectionName,
      'requires-leader': 'true',
      ...(tls && account ? { authorization: `Basic ${Buffer.from(account).toString('base64')}` } : {}),
    };
    return new LeaderConnection(session, headers, pingMs);
  }

  /** Whether a call may begin on it. */
  get isUsable(): boolean {
    return !this.session.closed && !this.session.destroyed;
  }

  /** Gives the messages of the answer. Rejects with the client's error, or after `ms`. */
  read(request: Buffer, ms: number): Promise<Buffer[]> {
    return new Promise((resolve, reject) => {
      const call = this.session.request(this.headers);
      const chunks: Buffer[] = [];
      let said: IncomingHttpHeaders = {};
      const timer = setTimeout(
        () => {
          call.close(constants.NGHTTP2_CANCEL);
          reject(new Error(`no answer within ${Math.round(ms)} ms`));
        },
        Math.max(0, ms),
      );
      call.on('response', (headers) => {
        said = headers;
      });
      call.on('trailers', (trailers) => {
        said = trailers;
      });
      call.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
      });
      call.on('error', reject);
      call.on('close', () => {
        clearTimeout(timer);
        try {
          const refused = callError(said);
          if (refused) throw refused;
          resolve(messagesOf(chunks));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      call.end(framed(request));
    });
  }

  /** Begins a call whose answer goes on. Throws where none may begin. */
  follow(request: Buffer, listener: MessageListener): MessageStream {
    const call = this.session.request(this.headers);
    this.following += 1;
    this.watch ??= this.watched();
    call.once('close', () => {
      this.following -= 1;
      if (this.following > 0) return;
      clearInterval(this.watch);
      this.watch = undefined;
    });
    call.end(framed(request));
    return new MessageStream(call, listener);
  }

  /** A connection that carries nothing is known to be there by its answers alone. */
  private watched(): NodeJS.Timeout {
    let isThere = true;
    return setInterval(() => {
      if (!isThere) this.session.destroy(new Error('the event store did not answer a ping'));
      else if (!this.session.destroyed) {
        isThere = false;
        this.session.ping(() => {
          isThere = true;
        });
      }
    }, this.pingMs);
  }

  /** No further call begins on it, and those on it go on for a while: a node that stands still would never end it. */
  leave(): void {
    this.session.close();
    setTimeout(() => this.session.destroy(), leftForMs).unref();
  }

  /** Calls on it fail. */
  destroy(): void {
    this.session.destroy();
  }
}

function messagesOf(chunks: readonly Buffer[]): Buffer[] {
  const frames = new Frames();
  for (const chunk of chunks) frames.add(chunk);
  const messages: Buffer[] = [];
  for (let message = frames.next(); message; message = frames.next()) messages.push(message);
  if (!frames.isEmpty) throw new Error('an answer of the event store is cut');
  return messages;
}
