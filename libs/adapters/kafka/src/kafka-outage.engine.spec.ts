import { StoreUnavailable, type ConsumedRecord } from '@aos/kernel';
import { eventually, uniqueName } from '@aos/kernel/testing';
import { KafkaEventLog } from './index.js';
import { kafkaEngine, kafkaSettings } from './testing/engine.js';

const deadlineMs = 180_000;
/** Nine seconds by the client's settings, and a slow machine's time. */
const refusedMaxMs = 20_000;
const keys = ['a', 'b', 'c', 'd', 'e'];

function record(key: string, n: number) {
  return { key, value: Buffer.from(String(n)), headers: { ce_position: String(n) } };
}

/** Numbers of one key in the order in which they were first seen. */
function firstSeen(records: readonly ConsumedRecord[], key: string): number[] {
  return [
    ...new Set(records.filter((one) => one.key === key).map(({ value }) => Number(Buffer.from(value).toString()))),
  ];
}

describe('Kafka comes and goes', () => {
  let log: KafkaEventLog;
  beforeAll(() => {
    log = new KafkaEventLog(kafkaSettings());
  });
  afterAll(async () => {
    await log.close();
  }, deadlineMs);

  kafkaEngine.testIfOwn.each(['restart', 'kill'] as const)(
    'a broker that goes (%s) while records are published and consumed loses none, and keeps the order per key',
    async (how) => {
      const topic = uniqueName('outage.');
      await log.ensureTopics([{ topic, partitions: 3, retentionMs: 86_400_000 }]);
      const [doorbell, shared]: [ConsumedRecord[], ConsumedRecord[]] = [[], []];
      const consumers = [
        log.consume({ topics: [topic], group: uniqueName('gw.'), from: 'latest', commit: false }, async (records) => {
          doorbell.push(...records);
        }),
        log.consume(
          { topics: [topic], group: uniqueName('group.'), from: 'earliest', commit: true },
          async (records) => {
            shared.push(...records);
          },
        ),
      ];
      await Promise.all(consumers.map(({ ready }) => ready));
      let back = false;
      let published = 0;
      let refused = 0;
      const outage = (
        how === 'restart'
          ? kafkaEngine.control('restart')
          : kafkaEngine.control('kill').then(() => kafkaEngine.control('resume'))
      ).then(() => {
        back = true;
      });
      for (let n = 0, more = 0; more < 20; n += 1) {
        for (let stored = false; !stored;) {
          stored = await log
            .publish(
              topic,
              keys.map((key) => record(key, n)),
            )
            .then(
              () => true,
              (error: unknown) => {
                expect(error).toBeInstanceOf(StoreUnavailable);
                return false;
              },
            );
          if (!stored) refused += 1;
        }
        published = n + 1;
        if (back) more += 1;
      }
      await outage;
      const all = Array.from({ length: published }, (_, n) => n);
      await eventually('both consumers have every record', () =>
        [doorbell, shared].every((seen) => keys.every((key) => firstSeen(seen, key).length >= published)),
      );
      for (const seen of [doorbell, shared]) for (const key of keys) expect(firstSeen(seen, key)).toEqual(all);
      await Promise.all(consumers.map((consumer) => consumer.close()));
      expect(refused).toBeLessThan(1_000);
    },
    deadlineMs,
  );

  kafkaEngine.testIfOwn(
    'while it is down calls are refused in time, consumers stay, and the next calls find it again',
    async () => {
      const topic = uniqueName('outage.');
      await log.ensureTopics([{ topic, partitions: 1, retentionMs: 86_400_000 }]);
      const seen: ConsumedRecord[] = [];
      const troubles: unknown[] = [];
      let fetches = 0;
      const consumer = log.consume(
        {
          topics: [topic],
          group: uniqueName('gw.'),
          from: 'latest',
          commit: false,
          onFetch: () => {
            fetches += 1;
          },
          onTrouble: (error) => {
            troubles.push(error);
          },
        },
        async (records) => {
          seen.push(...records);
        },
      );
      await consumer.ready;
      await log.publish(topic, [record('a', 0)]);
      await kafkaEngine.control('halt');
      const calls: (() => Promise<unknown>)[] = [
        () => log.publish(topic, [record('a', 99)]),
        () => log.publish(topic, [record('a', 98)]),
        () => log.tails(topic),
        () => log.ensureTopics([{ topic, partitions: 1, retentionMs: 1_000 }]),
      ];
      await Promise.all(
        calls.map(async (call) => {
          const started = performance.now();
          await expect(call()).rejects.toBeInstanceOf(StoreUnavailable);
          expect(performance.now() - started).toBeLessThan(refusedMaxMs);
        }),
      );
      await eventually('the consumer tells of trouble', () => troubles.length > 0);
      const before = fetches;
      await kafkaEngine.control('resume');
      await log.publish(topic, [record('a', 1)]);
      await eventually('the consumer is back', () => fetches > before && firstSeen(seen, 'a').includes(1));
      expect(firstSeen(seen, 'a').filter((n) => n < 90)).toEqual([0, 1]);
      expect((await log.tails(topic)).map(({ key }) => key)).toEqual(['a']);
      await consumer.close();
    },
    deadlineMs,
  );
});
