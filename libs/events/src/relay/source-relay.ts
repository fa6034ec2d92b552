import type { Position, RecordedEvent } from '@aos/kernel';
import { failpoint } from '@aos/platform';
import type { PublicEvents } from '../publishing/public-events.js';
import { madeOf } from './never-leaves.js';
import { Portions, inTraceOf, sourceRecord, sourceTopic, type PartitionedRecord } from './records.js';
import { Relay, type RelayParts } from './relay.js';

/** People in other processes wait for source events; under a load calls of Kafka are what an event costs most. */
const gather = { ms: 10, busyMs: 40 };

/** What was on the topic when the relay began: per partition the last place, and the log's end. */
interface Sent {
  tails: Map<number, Position>;
  until: Position;
}

/**
 * Source events to the public topic, in order per key, each at least once.
 *
 * After a start the tails only tell what lies between checkpoint and crash: in a partition everything up to its tail
 * was sent, as far as the log reached when the relay claimed its name. Without a checkpoint, or without a tail,
 * everything is sent again: equal `ce_id`, equal bytes.
 */
export function sourceRelay(events: PublicEvents, topicPrefix: string, parts: RelayParts): Relay {
  const topic = sourceTopic(topicPrefix);
  let sent: Sent = { tails: new Map(), until: '' };

  async function claimed(position: Position | null): Promise<void> {
    sent = { tails: new Map(), until: '' };
    if (position === null) return;
    const until = await parts.store.end();
    for (const { partition, headers } of await parts.eventLog.tails(topic.topic)) {
      if (headers.ce_position) sent.tails.set(partition, headers.ce_position);
    }
    sent.until = until;
  }

  function wasSent(record: PartitionedRecord, recorded: RecordedEvent): boolean {
    const sentPosition = record.headers.ce_position ?? '';
    return recorded.position <= sent.until && sentPosition <= (sent.tails.get(record.partition) ?? '');
  }

  async function send(batch: RecordedEvent[]): Promise<void> {
    const portions = new Portions(async (records) => {
      failpoint('before-publish source');
      await parts.eventLog.publish(topic.topic, records);
      failpoint('after-publish source');
    });
    for await (const { some, published } of events.some(batch)) {
      for (const [index, recorded] of some.entries()) {
        for (const event of published[index] ?? []) {
          const record = madeOf(recorded, () => inTraceOf(recorded, sourceRecord(event)));
          if (!wasSent(record, recorded)) await portions.add(record, recorded);
        }
      }
    }
    await portions.flush();
  }

  return new Relay({ name: 'source', prefixes: () => events.prefixes, topic, gather, claimed, send }, parts);
}
