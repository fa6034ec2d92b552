import {
  EventLog,
  StoreRefused,
  StoreUnavailable,
  type ConsumedRecord,
  type ConsumeOptions,
  type LogConsumer,
  type TopicSpec,
} from '@aos/kernel';
import type { Kafka } from 'kafkajs';
import { ConsumerLoop } from './consumer-loop.js';
import { isLoginRefused, kafkaClient, withAdmin, type KafkaSettings } from './kafka-client.js';
import { Publisher, type Outgoing } from './publisher.js';
import { readTails } from './tails.js';

/**
 * Kafka behind the EventLog port.
 *
 * Calls refuse `StoreUnavailable` within ten seconds when no broker answers; consumers go on trying for ever. Topics
 * are never created by use: `ensureTopics` makes what is missing and leaves what is there as it is (partitions of a
 * live topic must not change).
 */
export class KafkaEventLog extends EventLog {
  private readonly kafka: Kafka;
  private readonly publisher: Publisher;
  private readonly consumers = new Set<ConsumerLoop>();
  private closed = false;

  constructor(private readonly settings: KafkaSettings) {
    super();
    this.kafka = kafkaClient(settings);
    this.publisher = new Publisher(this.kafka, settings);
  }

  override async ensureTopics(topics: readonly TopicSpec[]): Promise<void> {
    await withAdmin(this.kafka, this.settings, 'ensuring topics', async (admin) => {
      const present = new Set(await admin.listTopics());
      const missing = topics.filter(({ topic }) => !present.has(topic));
      if (missing.length === 0) return;
      await admin.createTopics({
        waitForLeaders: true,
        topics: missing.map(({ topic, partitions, retentionMs }) => ({
          topic,
          numPartitions: partitions,
          replicationFactor: -1,
          configEntries: [{ name: 'retention.ms', value: String(retentionMs) }],
        })),
      });
    });
  }

  /** For a start: resolves when a broker answers. Rejects with `StoreUnavailable` or `StoreRefused`. */
  async check(): Promise<void> {
    try {
      await this.ensureTopics([]);
    } catch (error) {
      throw isLoginRefused(error) ? new StoreRefused('user or password is not let in', { cause: error }) : error;
    }
  }

  override async publish(topic: string, records: readonly Outgoing[]): Promise<void> {
    this.refuseWhenClosed();
    await this.publisher.publish(topic, records);
  }

  override consume(options: ConsumeOptions, handler: (records: ConsumedRecord[]) => Promise<void>): LogConsumer {
    this.refuseWhenClosed();
    const loop = new ConsumerLoop(this.kafka, this.settings, options, handler);
    this.consumers.add(loop);
    return {
      ready: loop.ready,
      close: async () => {
        await loop.close();
        this.consumers.delete(loop);
      },
    };
  }

  override tails(topic: string): Promise<ConsumedRecord[]> {
    return readTails(this.kafka, this.settings, topic);
  }

  override async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...[...this.consumers].map((consumer) => consumer.close()), this.publisher.close()]);
  }

  private refuseWhenClosed(): void {
    if (this.closed) throw new StoreUnavailable('Kafka: closed');
  }
}
