import {
  EventStoreDBClient,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
  jsonEvent,
} from '@eventstore/db-client';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProtocolServer } from './index.js';

let folder: string;
let server: ProtocolServer;
let client: EventStoreDBClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'protocol-server-'));
  server = new ProtocolServer({ folder });
  client = EventStoreDBClient.connectionString(await server.listen());
});

afterAll(async () => {
  await client.dispose();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const happened = (n: number) => jsonEvent({ type: 'ThingHappened', data: { n } });
const credentials = { username: 'admin', password: 'changeit' };

async function revisions(
  stream: string,
  options: Parameters<EventStoreDBClient['readStream']>[1] = {},
): Promise<number[]> {
  const found: number[] = [];
  for await (const { event } of client.readStream(stream, options)) found.push(Number(event?.revision));
  return found;
}

test('any and stream_exists are taken as the server takes them', async () => {
  const first = happened(1);
  await client.appendToStream('loose-1', first, { expectedRevision: 'any' });
  await client.appendToStream('loose-1', first, { expectedRevision: 'any' });
  await client.appendToStream('loose-1', happened(2), { expectedRevision: 'stream_exists' });
  expect(await revisions('loose-1')).toEqual([0, 1]);
  await expect(
    client.appendToStream('loose-2', happened(1), { expectedRevision: 'stream_exists' }),
  ).rejects.toBeInstanceOf(WrongExpectedVersionError);
});

test('the one-shot append answers as the batch append', async () => {
  const first = happened(1);
  const written = await client.appendToStream('oneshot-1', first, { expectedRevision: 'no_stream', credentials });
  const again = await client.appendToStream('oneshot-1', first, { expectedRevision: 'no_stream' });
  expect(again).toEqual(written);
  await expect(
    client.appendToStream('oneshot-1', happened(2), { expectedRevision: 7n, credentials }),
  ).rejects.toMatchObject({ actualVersion: 0n, expectedVersion: 7n });
});

test('a tombstoned stream is refused for ever, and a softly deleted one goes on counting', async () => {
  await client.appendToStream('gone-1', happened(1));
  await client.tombstoneStream('gone-1');
  await expect(client.appendToStream('gone-1', happened(2))).rejects.toBeInstanceOf(StreamDeletedError);
  await expect(revisions('gone-1')).rejects.toBeInstanceOf(StreamDeletedError);
  await client.appendToStream('gone-2', [happened(1), happened(2)]);
  await expect(client.deleteStream('gone-2', { expectedRevision: 5n })).rejects.toBeInstanceOf(
    WrongExpectedVersionError,
  );
  await client.deleteStream('gone-2', { expectedRevision: 1n });
  await expect(revisions('gone-2')).rejects.toBeInstanceOf(StreamNotFoundError);
  const { nextExpectedRevision } = await client.appendToStream('gone-2', happened(3), {
    expectedRevision: 'no_stream',
  });
  expect(nextExpectedRevision).toBe(2n);
});

test('stream metadata bounds what readers see, and only its newest version is kept', async () => {
  await client.appendToStream('kept-1', [1, 2, 3, 4, 5].map(happened));
  await client.setStreamMetadata('kept-1', { maxCount: 2 });
  expect(await revisions('kept-1')).toEqual([3, 4]);
  await client.setStreamMetadata('kept-1', { truncateBefore: 1 });
  expect(await revisions('kept-1')).toEqual([1, 2, 3, 4]);
  expect(await revisions('kept-1', { direction: 'backwards', fromRevision: 'end', maxCount: 3 })).toEqual([4, 3, 2]);
  expect(await revisions('$$kept-1')).toEqual([1]);
  expect((await client.getStreamMetadata('kept-1')).metadata).toEqual({ truncateBefore: 1 });
});

test('the whole log is read both ways and its positions grow', async () => {
  await client.appendToStream('all-1', [happened(1), happened(2)]);
  const forwards: bigint[] = [];
  for await (const { event } of client.readAll({ maxCount: 1000 })) forwards.push(event?.position?.commit ?? -1n);
  const backwards: bigint[] = [];
  for await (const { event } of client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1000 }))
    backwards.push(event?.position?.commit ?? -1n);
  expect(forwards.length).toBeGreaterThan(2);
  expect(backwards).toEqual(forwards.toReversed());
  expect(forwards).toEqual([...forwards].sort((a, b) => (a < b ? -1 : 1)));
});

test("an append over the server's size is refused", async () => {
  const large = jsonEvent({ type: 'Large', data: { text: 'x'.repeat(1024 * 1024) } });
  await expect(client.appendToStream('large-1', large)).rejects.toMatchObject({
    type: 'maximum-append-size-exceeded',
    maxAppendSize: 1024 * 1024,
  });
});

test('discovery by gossip finds the server itself', async () => {
  const address = `127.0.0.1:${server.port}`;
  const discovering = EventStoreDBClient.connectionString(`esdb://${address},${address}?tls=false`);
  let seen = 0;
  for await (const event of discovering.readAll({ maxCount: 1 })) seen += event ? 1 : 0;
  expect(seen).toBe(1);
  await discovering.dispose();
});
