import { createRequire } from 'node:module';
import fc from 'fast-check';
import { checksum } from './checksum.js';
import { kafkaClient } from './kafka-client.js';
import { recordBytes, type BatchRecord, type EncodedRecord } from './record-bytes.js';

const theirs = createRequire(__filename);
type Encode = (record: BatchRecord) => EncodedRecord;

/** The client's own, as they are before `kafkaClient` replaces them. */
const record = theirs('kafkajs/src/protocol/recordBatch/record/v0/index.js') as Encode;
const sum = theirs('kafkajs/src/protocol/recordBatch/crc32C/crc32C.js') as typeof checksum;

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 300 }), fc.constant('é'.repeat(64)));
const bytes = fc.uint8Array({ maxLength: 10_000 }).map((value) => Buffer.from(value));

describe("records of Kafka's client", () => {
  it('are the same bytes as those that it makes', () => {
    const records = fc.record({
      offsetDelta: fc.nat(100_000),
      key: text,
      value: bytes,
      headers: fc.dictionary(text, text, { maxKeys: 12 }),
    });
    fc.assert(
      fc.property(records, (one) => {
        expect(recordBytes(one)?.buffer.toString('hex')).toBe(record(one).buffer.toString('hex'));
      }),
    );
  });

  it.each<[string, BatchRecord]>([
    ['a time of its own', { timestampDelta: 1, key: 'k', value: Buffer.from('v') }],
    ['no key', { value: Buffer.from('v') }],
    ['no value', { key: 'k', value: null }],
    ['a header of bytes', { key: 'k', value: Buffer.from('v'), headers: { a: Buffer.from('b') } }],
    ['a header with two values', { key: 'k', value: Buffer.from('v'), headers: { a: ['b', 'c'] } }],
  ])('with %s are left to it', (_what, one) => {
    expect(recordBytes(one)).toBeNull();
  });

  it('have the same sum', () => {
    expect(checksum(Buffer.from('123456789'))).toBe(0xe3069283); // the check value of CRC-32C
    fc.assert(
      fc.property(bytes, (value) => {
        expect(checksum(value)).toBe(sum(value));
      }),
    );
  });

  it('are made by ours in each request, in as many buffers for a hundred as for two', async () => {
    kafkaClient({ brokers: ['127.0.0.1:1'] });
    const produce = theirs('kafkajs/src/protocol/requests/produce/v7/request.js') as (request: object) => {
      encode(): Promise<EncodedRecord>;
    };
    const buffersFor = async (count: number) => {
      const messages = Array.from({ length: count }, () => ({
        key: 'k',
        value: Buffer.from('v'),
        headers: { a: 'b', c: 'd' },
      }));
      const made = jest.spyOn(Buffer, 'alloc');
      await produce({
        acks: -1,
        timeout: 1,
        topicData: [{ topic: 't', partitions: [{ partition: 0, messages }] }],
      }).encode();
      const { length } = made.mock.calls.filter(([size]) => size === 512);
      made.mockRestore();
      return length;
    };
    expect(await buffersFor(100)).toBe(await buffersFor(2));
  });
});
