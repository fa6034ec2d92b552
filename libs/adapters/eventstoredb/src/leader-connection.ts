import { Metadata, status } from '@grpc/grpc-js';
import type { EndPoint, EventStoreDBClient } from '@eventstore/db-client';
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import { convertToCommandError } from '@eventstore/db-client/dist/utils/CommandError.js';
import { readFileSync } from 'node:fs';
import { connect, constants, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2';
import { resolve as pathOf } from 'node:path';
import { knownScheme, leaderAddress } from './client.js';

const path = '/event_store.client.streams.Streams/Read';
/** The largest event that a server may hold is one of 16 MB, metadata apart. */
const messageBytesMax = 17 * 1024 * 1024;
const frameHead = 5;
/** How much may be on its way: of one read, and of all. */
const streamWindow = 1024 * 1024;
const connectionWindow = 8 * 1024 * 1024;
/** Longer than any read on a connection that was left. */
const leftForMs = 30_000;

/**
 * A connection to the leader for reads alone, over HTTP/2 as gRPC asks for it. The client finds the leader and knows
 * what errors mean; its own calls take more than twice the processor time (ADR 49).
 */
export class LeaderConnection {
  private isLeaving = false;

  private constructor(
    private readonly session: ClientHttp2Session,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    session.unref(); // a read under way has a timer, which keeps the process alive
    session.on('error', () => undefined); // each read on it fails by itself
    session.on('goaway', () => {
      this.isLeaving = true;
    });
    session.once('connect', () => {
      session.setLocalWindowSize(connectionWindow);
    });
  }

  /** Takes the client that finds the leader, its URL, and the leader if a node named it. */
  static async open(client: EventStoreDBClient, url: string, leader: EndPoint | null): Promise<LeaderConnection> {
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
    return new LeaderConnection(session, {
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      [constants.HTTP2_HEADER_TE]: 'trailers',
      'connection-name': client.connectionName,
      'requires-leader': 'true',
      ...(tls && account ? { authorization: `Basic ${Buffer.from(account).toString('base64')}` } : {}),
    });
  }

  /** Whether a read may begin on it. */
  get isUsable(): boolean {
    return !this.isLeaving && !this.session.closed && !this.session.destroyed;
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
          throwUnlessGood(said);
          resolve(messagesOf(chunks));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
      call.end(framed(request));
    });
  }

  /** Reads on it go on. A node that stands still would never end it. */
  leave(): void {
    this.session.close();
    setTimeout(() => this.session.destroy(), leftForMs).unref();
  }

  /** Reads on it fail. */
  destroy(): void {
    this.session.destroy();
  }
}

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(frameHead);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function messagesOf(chunks: readonly Buffer[]): Buffer[] {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks);
  const messages: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const isPlain = bytes.length - at >= frameHead && bytes[at] === 0;
    const end = isPlain ? at + frameHead + bytes.readUInt32BE(at + 1) : Infinity;
    if (end > bytes.length || end - at > messageBytesMax + frameHead)
      throw new Error('an answer of the event store is cut, packed or too large');
    messages.push(bytes.subarray(at + frameHead, end));
    at = end;
  }
  return messages;
}

/** Throws what the client would, and for an answer that ended without a word. */
function throwUnlessGood(said: IncomingHttpHeaders): void {
  const code = said['grpc-status'] === undefined ? status.UNAVAILABLE : Number(said['grpc-status']);
  if (code === status.OK) return;
  const details = String(said['grpc-message'] ?? `answered with HTTP ${said[':status'] ?? 'nothing'}`);
  const metadata = Metadata.fromHttp2Headers(said);
  throw convertToCommandError(Object.assign(new Error(`${code}: ${details}`), { code, details, metadata }));
}
