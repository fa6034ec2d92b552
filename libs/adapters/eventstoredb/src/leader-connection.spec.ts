import { StoreRefused, StoreUnavailable } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDbEventStore } from './event-store.js';
import { selfSigned } from './testing/self-signed.js';
import { givingUp, quick } from './testing/served-store.js';

type Answer = (call: ServerHttp2Stream) => void;

const answerHeaders = { ':status': 200, 'content-type': 'application/grpc' };
/** A message of the answer: there is no such stream. */
const noStream = Buffer.from([0, 0, 0, 0, 2, 0x22, 0]);
const good: Answer = (call) => ended(call, noStream, { 'grpc-status': '0' });

function ended(call: ServerHttp2Stream, bytes: Buffer, trailers: Record<string, string>): void {
  call.respond(answerHeaders, { waitForTrailers: true });
  call.once('wantTrailers', () => call.sendTrailers(trailers));
  call.end(bytes);
}

/** A node whose answers a test gives, one after the other; the last one stays. */
class Node {
  readonly asked: IncomingHttpHeaders[] = [];
  readonly sessions = new Set<ServerHttp2Session>();

  constructor(
    private readonly server: Http2Server | Http2SecureServer,
    private readonly answers: Answer[],
  ) {
    server.on('session', (session) => {
      this.sessions.add(session);
    });
    server.on('stream', (call, headers) => {
      this.asked.push(headers);
      const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
      call.on('error', () => undefined); // the reader gave it up
      answer?.(call);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A busy machine may take longer than `quick` allows. */
const patient = { ...quick, attemptMs: 10_000, budgetMs: 20_000 };

/** Runs with a store on a node that answers so. */
async function withNode(
  answers: Answer[],
  run: (store: EventStoreDbEventStore, node: Node) => Promise<void>,
  times = patient,
): Promise<void> {
  const node = new Node(createServer(), answers);
  const store = new EventStoreDbEventStore({ url: `esdb://${await node.listen()}?tls=false`, ...times });
  try {
    await run(store, node);
  } finally {
    await store.close();
    await node.close();
  }
}

test('a read asks for the leader over one connection, and for no account where the way is not encrypted', async () => {
  await withNode([good], async (store, { asked, sessions }) => {
    await Promise.all(Array.from({ length: 70 }, (_, n) => store.read(`thing-${n}`, { limit: 1 })));
    expect([asked.length, sessions.size]).toEqual([70, 1]);
    expect(asked[0]).toMatchObject({ 'requires-leader': 'true', 'content-type': 'application/grpc', te: 'trailers' });
    expect(asked[0]).not.toHaveProperty('authorization');
  });
});

test('rule TP24: a process has at most 64 reads under way, the others wait', async () => {
  const held: ServerHttp2Stream[] = [];
  const hold: Answer = (call) => held.push(call);
  await withNode([hold], async (store, { asked }) => {
    const reads = Array.from({ length: 200 }, (_, n) => store.read(`thing-${n}`, { limit: 1 }));
    await eventually('as many as may be are asked', () => held.length === 64);
    for (let answered = 1; answered <= reads.length; answered += 1) {
      good(held.shift() as ServerHttp2Stream);
      const left = Math.min(64, reads.length - answered);
      await eventually('the next one is asked', () => held.length === left);
    }
    expect(await Promise.all(reads)).toHaveLength(200);
    expect(asked).toHaveLength(200);
  });
});

test('an authority, a certificate of its own and the account of the URL go with a read where the way is encrypted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'self-signed-'));
  const { key, cert } = selfSigned();
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  writeFileSync(keyFile, key);
  writeFileSync(certFile, cert);
  const options = { key, cert, ca: cert, requestCert: true, rejectUnauthorized: true };
  const node = new Node(createSecureServer(options), [good]);
  const host = await node.listen();
  const known = `tlsCAFile=${encodeURIComponent(certFile)}&userCertFile=${encodeURIComponent(certFile)}&userKeyFile=${encodeURIComponent(keyFile)}`;
  const store = new EventStoreDbEventStore({ url: `kurrentdb://reader:p%40ss@${host}?${known}`, ...patient });
  expect(await store.read('thing-1', { limit: 1 })).toEqual([]);
  expect(node.asked[0]?.authorization).toBe(`Basic ${Buffer.from('reader:p@ss').toString('base64')}`);
  await store.close();
  const stranger = new EventStoreDbEventStore({ url: `esdb://reader:p%40ss@${host}`, ...givingUp });
  await expect(stranger.read('thing-1', { limit: 1 })).rejects.toBeInstanceOf(StoreUnavailable);
  expect(node.asked).toHaveLength(1);
  await stranger.close();
  await node.close();
  rmSync(folder, { recursive: true });
});

test('a refusal without a body, and one behind it, are what the client calls them', async () => {
  const denied: Answer = (call) => call.respond({ ...answerHeaders, 'grpc-status': '16' }, { endStream: true });
  await withNode([denied], async (store) => {
    await expect(store.check()).rejects.toBeInstanceOf(StoreRefused);
  });
  const deleted: Answer = (call) =>
    ended(call, Buffer.alloc(0), { 'grpc-status': '9', exception: 'stream-deleted', 'stream-name': 'thing-1' });
  await withNode([deleted], async (store, { asked }) => {
    await expect(store.read('thing-1', { limit: 1 })).rejects.toMatchObject({ type: 'stream-deleted' });
    expect(asked).toHaveLength(1); // repeating cannot help
  });
});

test('an answer that is cut, packed or without an end is no answer: the read is repeated', async () => {
  const cut: Answer = (call) => ended(call, noStream.subarray(0, 6), { 'grpc-status': '0' });
  const packed: Answer = (call) => ended(call, Buffer.from([1, 0, 0, 0, 0]), { 'grpc-status': '0' });
  const silentEnd: Answer = (call) => ended(call, noStream, {});
  const busy: Answer = (call) => call.respond({ ':status': 503 }, { endStream: true });
  const reset: Answer = (call) => call.close(2);
  const gone: Answer = (call) => call.session?.destroy();
  const never: Answer = () => undefined;
  const answers = [cut, packed, silentEnd, busy, reset, gone, never, good];
  const read = async (store: EventStoreDbEventStore, { asked }: Node) => {
    expect(await store.read('thing-1', { limit: 1 })).toEqual([]);
    expect(asked.length).toBeGreaterThanOrEqual(8); // more where one was too slow for its try
  };
  await withNode(answers, read, quick);
});

test('a connection that its node ends in good order is left, and what runs on it is answered', async () => {
  let finish: () => void = () => undefined;
  const slow: Answer = (call) => {
    finish = () => good(call);
  };
  await withNode([slow, good], async (store, { asked, sessions }) => {
    const running = store.read('thing-1', { limit: 1 });
    await eventually('it is asked', () => asked.length === 1);
    for (const session of sessions) session.goaway();
    await eventually('the next one takes another connection', async () => {
      await store.read('thing-2', { limit: 1 });
      return sessions.size === 2;
    });
    finish();
    expect(await running).toEqual([]);
  });
});
