import { RecordRefused, StoreUnavailable, type LogRecord } from '@aos/kernel';
import { Partitioners, type Kafka, type Message, type Producer } from 'kafkajs';
import {
  callTimeoutMs,
  callRetry,
  errorTypes,
  letGo,
  unavailable,
  within,
  type KafkaSettings,
} from './kafka-client.js';

export type Outgoing = LogRecord & { partition?: number };

const recordsMax = 500;
const callBytesMax = 4 * 1024 * 1024;
/** Below the brokers' default of 1 MiB for one partition's part of a request, with room for its frame. */
const requestBytesMax = 1_000_000;
const recordOverheadBytes = 64;
const waitingMax = 1_000;

const refusedTypes = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD'];

function bytesOf({ key, value, headers }: Outgoing): number {
  const headerBytes = Object.entries(headers).reduce(
    (sum, [name, text]) => sum + Buffer.byteLength(name) + Buffer.byteLength(text) + 8,
    0,
  );
  return Buffer.byteLength(key) + value.byteLength + headerBytes + recordOverheadBytes;
}

/**
 * Splits in order into requests that a broker takes whatever partitions they go to. Refuses a record that fits in none.
 */
function requestsOf(records: readonly Outgoing[]): Message[][] {
  const requests: Message[][] = [];
  let room = 0;
  let total = 0;
  for (const record of records) {
    const bytes = bytesOf(record);
    if (bytes > requestBytesMax) throw new RecordRefused(`a record of ${bytes} bytes is too large`);
    total += bytes;
    if (bytes > room) {
      requests.push([]);
      room = requestBytesMax;
    }
    room -= bytes;
    const { key, value, headers, partition } = record;
    requests
      .at(-1)
      ?.push({
        key,
        value: Buffer.from(value.buffer, value.byteOffset, value.byteLength),
        headers,
        ...(partition === undefined ? {} : { partition }),
      });
  }
  if (records.length > recordsMax || total > callBytesMax + recordsMax * 1024)
    throw new RangeError(`${records.length} records of ${total} bytes in one call`);
  return requests;
}

/**
 * The sending side: calls for one topic are sent one after the other, so that a key's records keep the order of the
 * calls.
 *
 * After any fault the producer is dropped and the next call starts on a fresh one: an idempotent producer whose
 * sequence was broken never recovers.
 */
export class Publisher {
  private readonly last = new Map<string, Promise<void>>();
  private producer: Promise<Producer> | null = null;
  private retiring: Promise<void> = Promise.resolve();
  private waiting = 0;

  constructor(
    private readonly kafka: Kafka,
    private readonly settings: KafkaSettings,
  ) {}

  async publish(topic: string, records: readonly Outgoing[]): Promise<void> {
    if (records.length === 0) return;
    const requests = requestsOf(records);
    if (this.waiting >= waitingMax) throw new StoreUnavailable(`Kafka: ${this.waiting} calls are waiting`);
    const deadline = performance.now() + callTimeoutMs;
    this.waiting += 1;
    const before = this.last.get(topic) ?? Promise.resolve();
    const sent = before
      .then(() => this.send(topic, requests, deadline))
      .finally(() => {
        this.waiting -= 1;
      });
    const settled = sent.catch(() => undefined); // the caller hears of it; the next call only waits for its end
    this.last.set(topic, settled);
    await sent;
  }

  async close(): Promise<void> {
    await Promise.all(this.last.values());
    this.drop(this.producer);
    await this.retiring;
  }

  private async send(topic: string, requests: readonly Message[][], deadline: number): Promise<void> {
    const connecting = this.connected();
    try {
      const producer = await within(connecting, deadline - performance.now(), 'connecting');
      for (const messages of requests)
        await within(
          producer.send({ topic, messages, acks: -1 }),
          deadline - performance.now(),
          `publishing to ${topic}`,
        );
    } catch (error) {
      this.drop(connecting);
      if (errorTypes(error).some((type) => refusedTypes.includes(type)))
        throw new RecordRefused(`${topic}: ${String(error)}`, { cause: error });
      throw unavailable(`publishing to ${topic}`, error);
    }
  }

  private connected(): Promise<Producer> {
    this.producer ??= this.retiring.then(async () => {
      const producer = this.kafka.producer({
        idempotent: true,
        maxInFlightRequests: 1,
        allowAutoTopicCreation: false,
        createPartitioner: Partitioners.DefaultPartitioner,
        retry: callRetry,
      });
      try {
        await producer.connect();
      } catch (error) {
        await letGo(producer, this.settings);
        throw error;
      }
      return producer;
    });
    return this.producer;
  }

  private drop(broken: Promise<Producer> | null): void {
    if (broken === null || this.producer !== broken) return;
    this.producer = null;
    const gone = broken.then(
      (producer) => letGo(producer, this.settings),
      () => undefined,
    ); // one that never connected was let go already
    this.retiring = within(gone, callTimeoutMs, 'dropping a producer').catch((error: unknown) => {
      this.settings.log?.debug('kafka: a producer was left', { error: String(error) });
    });
  }
}
