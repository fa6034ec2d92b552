import {
  type ConsumedRecord,
  type ConsumeOptions,
  EventLog,
  type LogConsumer,
  type LogRecord,
  RecordRefused,
  type TopicSpec,
} from '@aos/kernel';
import { consumed, ConsumerGroup } from './consumer-group.js';
import type { ViewsFile } from './views-file.js';
import type { Step } from './views-messages.js';

const RECORDS_MAX = 500;
const CALL_BYTES_MAX = 4 * 1024 * 1024;
const RECORD_BYTES_MAX = 1024 * 1024;
const SWEEP_ROWS = 1000;

/** FNV-1a: the same key is always in the same partition. */
function partitionOf(key: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % partitions;
}

/**
 * Topics in the views file, for one process: consumers are woken by `publish`. Offsets rise but have gaps. Records older than the topic's
 * retention go every ten minutes. A power cut may lose the newest records, as with one broker.
 */
export class SqliteEventLog extends EventLog {
  private readonly groups = new Map<string, ConsumerGroup>();
  private readonly partitions = new Map<string, number>();
  private readonly stopSweeping = new Map<string, () => void>();

  constructor(private readonly views: ViewsFile) {
    super();
    for (const row of views.all('SELECT topic, partitions, retention_ms FROM topics'))
      this.know(row['topic'] as string, row['partitions'] as number, row['retention_ms'] as number);
  }

  override async ensureTopics(topics: readonly TopicSpec[]): Promise<void> {
    await Promise.all(
      topics.map(async ({ topic, partitions, retentionMs }) => {
        await this.views.run([
          [
            'INSERT INTO topics (topic, partitions, retention_ms) VALUES (?, ?, ?) ON CONFLICT (topic) DO UPDATE SET partitions = max(topics.partitions, excluded.partitions), retention_ms = excluded.retention_ms',
            [topic, partitions, retentionMs],
          ],
        ]);
        this.know(topic, Math.max(partitions, this.partitions.get(topic) ?? 0), retentionMs);
      }),
    );
  }

  override async publish(topic: string, records: readonly (LogRecord & { partition?: number })[]): Promise<void> {
    if (records.length === 0) return;
    const partitions = this.partitionsOf(topic);
    let bytes = 0;
    const steps = records.map(({ key, value, headers, partition }): Step => {
      const text = JSON.stringify(headers);
      const size = value.length + text.length + key.length;
      if (size > RECORD_BYTES_MAX) throw new RecordRefused(`a record of ${size} bytes for ${topic}`);
      bytes += size;
      if (partition !== undefined && !(partition >= 0 && partition < partitions))
        throw new RecordRefused(`${topic} has no partition ${partition}`);
      return [
        'INSERT INTO records (topic, partition, key, at, headers, value) VALUES (?, ?, ?, ?, ?, ?)',
        [topic, partition ?? partitionOf(key, partitions), key, this.views.clock.now(), text, value],
      ];
    });
    if (records.length > RECORDS_MAX || bytes > CALL_BYTES_MAX)
      throw new Error(`${records.length} records of ${bytes} bytes in one call`);
    await this.views.run(steps);
    for (const group of this.groups.values()) group.ring(topic);
  }

  override consume(options: ConsumeOptions, handler: (records: ConsumedRecord[]) => Promise<void>): LogConsumer {
    let group = this.groups.get(options.group);
    if (!group) {
      group = new ConsumerGroup(this.views, options, () => {
        this.groups.delete(options.group);
      });
      this.groups.set(options.group, group);
    }
    return group.join(options, handler);
  }

  override async tails(topic: string): Promise<ConsumedRecord[]> {
    const tails: ConsumedRecord[] = [];
    for (let partition = 0; partition < this.partitionsOf(topic); partition += 1) {
      const row = this.views.get(
        'SELECT * FROM records WHERE topic = ? AND partition = ? ORDER BY id DESC LIMIT 1',
        topic,
        partition,
      );
      if (row) tails.push(consumed(row));
    }
    return tails;
  }

  /** Ends every consumer. The file is closed by whoever opened it. */
  override async close(): Promise<void> {
    await Promise.all([...this.groups.values()].map((group) => group.close()));
    for (const stop of this.stopSweeping.values()) stop();
  }

  private partitionsOf(topic: string): number {
    const partitions = this.partitions.get(topic);
    if (partitions === undefined) throw new Error(`no such topic: ${topic}`);
    return partitions;
  }

  private know(topic: string, partitions: number, retentionMs: number): void {
    this.partitions.set(topic, partitions);
    this.stopSweeping.get(topic)?.();
    this.stopSweeping.set(
      topic,
      this.views.sweepWith(() => [
        `DELETE FROM records WHERE id IN (SELECT id FROM records WHERE topic = ? ORDER BY id LIMIT ${SWEEP_ROWS}) AND at < ?`,
        [topic, this.views.clock.now() - retentionMs],
      ]),
    );
  }
}
