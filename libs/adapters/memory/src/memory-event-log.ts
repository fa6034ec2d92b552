import {
  EventLog,
  RecordRefused,
  type Clock,
  type ConsumedRecord,
  type ConsumeOptions,
  type LogConsumer,
  type LogRecord,
  type TopicSpec,
} from '@aos/kernel';
import { MemoryConsumerGroup, type RecordHandler } from './memory-consumer-group.js';

const recordsMax = 500;
const callBytesMax = 4 * 1024 * 1024;
const recordBytesMax = 1024 * 1024;

type NewRecord = LogRecord & { partition?: number };

/** FNV-1a: the same key is always in the same partition. */
function partitionOf(key: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % partitions;
}

function sizeOf({ key, value, headers }: LogRecord): number {
  return key.length + value.length + JSON.stringify(headers).length;
}

/**
 * Topics that live as long as the object; no record expires. Consumers fetch when they join and after each `publish`.
 * A test may break a `publish` off before one of its records is stored, or hide that all were.
 */
export class MemoryEventLog extends EventLog {
  /** Topic -> partition -> records. */
  readonly partitions = new Map<string, Map<number, ConsumedRecord[]>>();
  private readonly groups = new Map<string, MemoryConsumerGroup>();
  private readonly commits = new Map<string, number>();
  private offset = 0;
  /** Called before each record is stored; throwing breaks the publish off right there. */
  beforeRecord: (record: NewRecord) => void = () => undefined;
  /** Called when all are stored; throwing hides the outcome. */
  afterPublish: () => void = () => undefined;

  constructor(private readonly clock: Clock) {
    super();
  }

  override async ensureTopics(topics: readonly TopicSpec[]): Promise<void> {
    for (const { topic, partitions } of topics) {
      const known = this.partitions.get(topic) ?? new Map<number, ConsumedRecord[]>();
      for (let partition = known.size; partition < partitions; partition += 1) known.set(partition, []);
      this.partitions.set(topic, known);
    }
  }

  override async publish(topic: string, records: readonly NewRecord[]): Promise<void> {
    const partitions = this.partitions.get(topic);
    if (!partitions) throw new Error(`no such topic: ${topic}`);
    this.checkSizes(topic, records);
    try {
      for (const record of records) this.store(topic, partitions, record);
    } finally {
      for (const group of this.groups.values()) group.fetch();
    }
    this.afterPublish();
  }

  override consume(options: ConsumeOptions, handler: RecordHandler): LogConsumer {
    const name = options.group;
    const group =
      this.groups.get(name) ??
      new MemoryConsumerGroup({
        clock: this.clock,
        after: (topic, offset) => this.all(topic).filter((record) => Number(record.offset) > offset),
        begin: ({ from }, topic) => this.commits.get(`${name} ${topic}`) ?? (from === 'earliest' ? 0 : this.offset),
        commit: (topic, offset) => this.commits.set(`${name} ${topic}`, offset),
        ended: () => this.groups.delete(name),
      });
    this.groups.set(name, group);
    return group.join(options, handler);
  }

  override async tails(topic: string): Promise<ConsumedRecord[]> {
    return [...(this.partitions.get(topic)?.values() ?? [])].flatMap((records) => records.slice(-1));
  }

  /** Ends every consumer. */
  override async close(): Promise<void> {
    await Promise.all([...this.groups.values()].map((group) => group.close()));
  }

  /** Resolves when every consumer has handled what is stored. */
  async delivered(): Promise<void> {
    await Promise.all([...this.groups.values()].map((group) => group.idle()));
  }

  /** Answers an empty fetch of every consumer. */
  fetched(): void {
    for (const group of this.groups.values()) group.fetched();
  }

  /** Everything of a topic, partition by partition. */
  all(topic: string): ConsumedRecord[] {
    return [...(this.partitions.get(topic)?.values() ?? [])].flat();
  }

  private store(topic: string, partitions: Map<number, ConsumedRecord[]>, record: NewRecord): void {
    this.beforeRecord(record);
    const partition = record.partition ?? partitionOf(record.key, partitions.size);
    const stored = partitions.get(partition);
    if (!stored) throw new RecordRefused(`${topic} has no partition ${partition}`);
    stored.push({ ...record, topic, partition, offset: String((this.offset += 1)) });
  }

  private checkSizes(topic: string, records: readonly LogRecord[]): void {
    const sizes = records.map(sizeOf);
    const tooLarge = sizes.find((size) => size > recordBytesMax);
    if (tooLarge !== undefined) throw new RecordRefused(`a record of ${tooLarge} bytes for ${topic}`);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (records.length > recordsMax || bytes > callBytesMax)
      throw new Error(`${records.length} records of ${bytes} bytes in one call`);
  }
}
