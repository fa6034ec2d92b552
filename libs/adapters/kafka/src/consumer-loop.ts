import type { ConsumedRecord, ConsumeOptions, LogConsumer } from '@aos/kernel';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import { setTimeout as pause } from 'node:timers/promises';
import { callRetry, letGo, withAdmin, type KafkaSettings } from './kafka-client.js';
import { consumedRecord } from './records.js';
import { endsOf, partitionKey, type TopicPosition } from './topic-offsets.js';

type Handler = (records: ConsumedRecord[]) => Promise<void>;

export const consumerTimes = {
  sessionTimeout: 10_000,
  rebalanceTimeout: 15_000,
  heartbeatInterval: 1_000,
  maxWaitTimeInMs: 250,
};
const recordsPerCall = 500;
/** Bytes at which gathered records are given at once. */
const gatheredBytes = 1024 * 1024;
const pauseMinMs = 100;
const pauseMaxMs = 2_000;
const silenceMaxMs = 30_000;
const closeTimeoutMs = 15_000;

/**
 * One subscription that never gives up: a session of the client after the other, each from where the last one was.
 *
 * With commits a group goes on after its last commit. Without them the places are kept here, and every session begins
 * by seeking them: what was published during an outage is not skipped.
 */
export class ConsumerLoop implements LogConsumer {
  readonly ready: Promise<void>;
  private becomeReady: () => void = () => undefined;
  private readonly positions = new Map<string, TopicPosition>();
  private readonly closing = new AbortController();
  private readonly ended: Promise<void>;
  private pinned = false;
  private handling = false;
  private lastSign = performance.now();
  private pauseMs = pauseMinMs;

  constructor(
    private readonly kafka: Kafka,
    private readonly settings: KafkaSettings,
    private readonly options: ConsumeOptions,
    private readonly handler: Handler,
  ) {
    this.ready = new Promise((resolve) => {
      this.becomeReady = resolve;
    });
    this.ended = this.loop();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.ended;
    this.becomeReady();
  }

  private get closed(): boolean {
    return this.closing.signal.aborted;
  }

  private async loop(): Promise<void> {
    while (!this.closed) {
      try {
        await this.session();
      } catch (error) {
        if (!this.closed) this.options.onTrouble?.(error);
      }
      await this.rest();
    }
  }

  /** Pauses, longer each time until a fetch was answered. */
  private async rest(): Promise<void> {
    if (this.closed) return;
    const ms = this.pauseMs * (0.8 + Math.random() * 0.4);
    this.pauseMs = Math.min(2 * this.pauseMs, pauseMaxMs);
    await pause(ms, undefined, { signal: this.closing.signal }).catch(() => undefined); // aborted: closing
  }

  /** Runs until the client crashes, falls silent or is closed. */
  private async session(): Promise<void> {
    const { topics, group, from, commit, gatherMs } = this.options;
    await this.pinStart();
    if (this.closed) return;
    const consumer = this.kafka.consumer({
      groupId: group,
      ...consumerTimes,
      ...(gatherMs === undefined ? {} : { minBytes: gatheredBytes, maxWaitTimeInMs: gatherMs }),
      allowAutoTopicCreation: false,
      readUncommitted: false,
      metadataMaxAge: 60_000,
      retry: { ...callRetry, restartOnFailure: async () => false },
    });
    const broken = this.watch(consumer);
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: [...topics], fromBeginning: from === 'earliest' });
      await consumer.run({
        autoCommit: commit,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: 1,
        eachBatch: (batch) => this.batch(batch),
      });
      await broken.promise;
    } finally {
      broken.stop();
      await letGo(consumer, this.settings, closeTimeoutMs);
    }
  }

  /** For `latest` the ends are read once, before joining: from then on nothing is missed, whatever breaks. */
  private async pinStart(): Promise<void> {
    if (this.pinned || this.options.from === 'earliest') return;
    const { topics, commit, group } = this.options;
    for (const position of await withAdmin(this.kafka, this.settings, 'reading ends', (admin) =>
      endsOf(admin, topics, commit ? group : undefined),
    )) {
      this.positions.set(partitionKey(position), position);
    }
    this.pinned = true;
  }

  private watch(consumer: Consumer): { promise: Promise<void>; stop: () => void } {
    let stop: () => void = () => undefined;
    const promise = new Promise<void>((resolve, reject) => {
      const closing = () => {
        resolve();
      };
      this.closing.signal.addEventListener('abort', closing, { once: true });
      this.lastSign = performance.now();
      const silence = setInterval(() => {
        if (!this.handling && performance.now() - this.lastSign > silenceMaxMs)
          reject(new Error(`no fetch answered for ${silenceMaxMs} ms`));
      }, 1_000).unref();
      stop = () => {
        clearInterval(silence);
        this.closing.signal.removeEventListener('abort', closing);
      };
      consumer.on('consumer.crash', ({ payload: { error } }) => {
        reject(error);
      });
    });
    promise.catch(() => undefined); // the fault reaches the caller that awaits the promise
    consumer.on('consumer.group_join', ({ payload: { memberAssignment } }) => {
      this.joined(consumer, memberAssignment);
    });
    consumer.on('consumer.network.request', ({ payload: { apiName } }) => {
      this.lastSign = performance.now();
      if (apiName !== 'Fetch') return;
      this.pauseMs = pauseMinMs;
      this.options.onFetch?.();
    });
    return { promise, stop };
  }

  private joined(consumer: Consumer, assignment: Record<string, number[]>): void {
    for (const [topic, partitions] of Object.entries(assignment)) {
      for (const partition of partitions) {
        const position = this.positions.get(partitionKey({ topic, partition }));
        if (position) consumer.seek(position);
      }
    }
    if (this.options.commit) this.positions.clear(); // from here on the group's commits count
    this.becomeReady();
  }

  private async batch({ batch, resolveOffset, heartbeat, isRunning, isStale }: EachBatchPayload): Promise<void> {
    const { topic, partition, messages } = batch;
    for (let start = 0; start < messages.length; start += recordsPerCall) {
      const some = messages.slice(start, start + recordsPerCall);
      const last =
        start + some.length === messages.length ? batch.lastOffset() : (some.at(-1)?.offset ?? batch.lastOffset());
      const records = some.map((message) => consumedRecord(topic, partition, message));
      for (let waitMs = pauseMinMs; ; waitMs = Math.min(2 * waitMs, pauseMaxMs)) {
        if (this.closed || !isRunning() || isStale()) return; // not resolved: given again
        if (await this.handled(records, heartbeat)) break;
        await pause(waitMs, undefined, { signal: this.closing.signal }).catch(() => undefined); // aborted: closing
        await heartbeat();
      }
      resolveOffset(last);
      if (!this.options.commit)
        this.positions.set(partitionKey(batch), { topic, partition, offset: (BigInt(last) + 1n).toString() });
    }
  }

  /**
   * Whether the handler ended well. While it runs the group is told that this member lives; a failed beat is met again
   * after the batch.
   */
  private async handled(records: ConsumedRecord[], heartbeat: () => Promise<void>): Promise<boolean> {
    const beat = setInterval(() => {
      heartbeat().catch((error: unknown) => {
        this.settings.log?.debug('kafka: heartbeat', { error: String(error) });
      });
    }, consumerTimes.heartbeatInterval);
    this.handling = true;
    try {
      await this.handler(records);
      return true;
    } catch (error) {
      this.options.onTrouble?.(error);
      return false;
    } finally {
      this.handling = false;
      this.lastSign = performance.now();
      clearInterval(beat);
    }
  }
}
