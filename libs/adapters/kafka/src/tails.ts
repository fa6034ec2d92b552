import type { ConsumedRecord } from '@aos/kernel';
import { randomUUID } from 'node:crypto';
import type { Kafka } from 'kafkajs';
import { consumerTimes } from './consumer-loop.js';
import { callTimeoutMs, callRetry, letGo, unavailable, withAdmin, within, type KafkaSettings } from './kafka-client.js';
import { consumedRecord } from './records.js';

/**
 * Reads the last record of each partition that has one, through a group that lives only for this call. Refuses
 * `StoreUnavailable`.
 */
export async function readTails(kafka: Kafka, settings: KafkaSettings, topic: string): Promise<ConsumedRecord[]> {
  const ends = await withAdmin(kafka, settings, `reading the ends of ${topic}`, (admin) =>
    admin.fetchTopicOffsets(topic),
  );
  const wanted = new Map(
    ends
      .filter(({ low, high }) => BigInt(high) > BigInt(low))
      .map(({ partition, high }) => [partition, (BigInt(high) - 1n).toString()]),
  );
  if (wanted.size === 0) return [];
  const group = `${settings.clientId ?? 'svc'}-tails-${randomUUID()}`;
  try {
    return await lastRecords(kafka, settings, topic, wanted, group);
  } catch (error) {
    throw unavailable(`reading the tails of ${topic}`, error);
  } finally {
    await withAdmin(kafka, settings, 'forgetting a group', (admin) => admin.deleteGroups([group])).catch(
      (error: unknown) => {
        settings.log?.debug('kafka: a group was left to expire', { group, error: String(error) });
      },
    );
  }
}

async function lastRecords(
  kafka: Kafka,
  settings: KafkaSettings,
  topic: string,
  wanted: ReadonlyMap<number, string>,
  groupId: string,
): Promise<ConsumedRecord[]> {
  const consumer = kafka.consumer({
    groupId,
    ...consumerTimes,
    allowAutoTopicCreation: false,
    retry: { ...callRetry, restartOnFailure: async () => false },
  });
  const found = new Map<number, ConsumedRecord>();
  const all = new Promise<void>((resolve, reject) => {
    consumer.on('consumer.crash', ({ payload: { error } }) => {
      reject(error);
    });
    consumer.on('consumer.group_join', () => {
      for (const [partition, offset] of wanted) consumer.seek({ topic, partition, offset });
    });
    const read = async () => {
      await consumer.connect();
      await consumer.subscribe({ topics: [topic], fromBeginning: false });
      await consumer.run({
        autoCommit: false,
        eachBatch: async ({ batch: { partition, messages } }) => {
          const last = messages.at(-1);
          if (last && wanted.has(partition)) found.set(partition, consumedRecord(topic, partition, last));
          if (found.size === wanted.size) resolve();
        },
      });
    };
    read().catch(reject);
  });
  try {
    await within(all, callTimeoutMs, `reading the tails of ${topic}`);
  } finally {
    await letGo(consumer, settings);
  }
  return [...found.values()];
}
