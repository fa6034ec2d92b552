import type { Admin } from 'kafkajs';

export interface TopicPosition {
  topic: string;
  partition: number;
  offset: string;
}

export const partitionKey = ({ topic, partition }: { topic: string; partition: number }) => `${topic}|${partition}`;

/** Ends of the topics' partitions; with a group only of those without a commit of that group. */
export async function endsOf(
  admin: Admin,
  topics: readonly string[],
  uncommittedBy?: string,
): Promise<TopicPosition[]> {
  const committed = new Set<string>();
  if (uncommittedBy !== undefined) {
    for (const { topic, partitions } of await admin.fetchOffsets({ groupId: uncommittedBy, topics: [...topics] })) {
      for (const { partition, offset } of partitions)
        if (offset !== '-1') committed.add(partitionKey({ topic, partition }));
    }
  }
  const ends = await Promise.all(
    topics.map(async (topic) =>
      (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => ({ topic, partition, offset: high })),
    ),
  );
  return ends.flat().filter((position) => !committed.has(partitionKey(position)));
}
