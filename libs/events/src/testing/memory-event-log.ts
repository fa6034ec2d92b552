import {
  EventLog,
  type ConsumedRecord,
  type ConsumeOptions,
  type LogConsumer,
  type LogRecord,
  type TopicSpec,
} from '@aos/kernel';

interface Reader {
  options: ConsumeOptions;
  handler: (records: ConsumedRecord[]) => Promise<void>;
}

/** Topics in memory, for simulations: a test may lose a publish before or after any record of it is stored. */
export class MemoryEventLog extends EventLog {
  readonly partitions = new Map<string, Map<number, ConsumedRecord[]>>();
  private readonly readers = new Set<Reader>();
  /** Called before each record is stored; throwing breaks the publish off right there. */
  beforeRecord: (record: LogRecord & { partition?: number }) => void = () => undefined;
  /** Called when all are stored; throwing hides the outcome. */
  afterPublish: () => void = () => undefined;

  override async ensureTopics(topics: readonly TopicSpec[]): Promise<void> {
    for (const { topic, partitions } of topics) {
      if (!this.partitions.has(topic))
        this.partitions.set(topic, new Map(Array.from({ length: partitions }, (_, partition) => [partition, []])));
    }
  }

  override async publish(topic: string, records: readonly (LogRecord & { partition?: number })[]): Promise<void> {
    if (records.length > 500) throw new Error(`${records.length} records in one call`);
    for (const record of records) {
      this.beforeRecord(record);
      const { partition = 0 } = record;
      const stored = this.partitions.get(topic)?.get(partition);
      if (!stored) throw new Error(`${topic} has no partition ${partition}`);
      const kept = { ...record, topic, partition, offset: String(stored.length) };
      stored.push(kept);
      for (const { options, handler } of this.readers) if (options.topics.includes(topic)) await handler([kept]);
    }
    this.afterPublish();
  }

  override consume(options: ConsumeOptions, handler: (records: ConsumedRecord[]) => Promise<void>): LogConsumer {
    const reader = { options, handler };
    this.readers.add(reader);
    return {
      ready: Promise.resolve(),
      close: async () => {
        this.readers.delete(reader);
      },
    };
  }

  override async tails(topic: string): Promise<ConsumedRecord[]> {
    return [...(this.partitions.get(topic)?.values() ?? [])].flatMap((records) => records.slice(-1));
  }

  override async close(): Promise<void> {
    this.readers.clear();
  }

  /** Every reader's fetch is answered. */
  fetched(): void {
    for (const { options } of this.readers) options.onFetch?.();
  }

  /** Everything of a topic, partition by partition. */
  all(topic: string): ConsumedRecord[] {
    return [...(this.partitions.get(topic)?.values() ?? [])].flat();
  }
}
