import { eventually, quickest, uniqueName } from '@aos/kernel/testing';
import { KafkaEventLog } from './index.js';
import { kafkaSettings } from './testing/engine.js';

const deadlineMs = 180_000;
const calls = 40;
const gatherMs = 2_000;

/** How many fetches a consumer was answered while records came one call after the other, and how many it was given. */
async function fetched(log: KafkaEventLog, gatherMs?: number): Promise<number> {
  const topic = uniqueName('fetches.');
  await log.ensureTopics([{ topic, partitions: 1, retentionMs: 86_400_000 }]);
  let [fetches, given] = [0, 0];
  const consumer = log.consume(
    {
      topics: [topic],
      group: uniqueName('group.'),
      from: 'earliest',
      commit: false,
      ...(gatherMs === undefined ? {} : { gatherMs }),
      onFetch: () => {
        fetches += 1;
      },
    },
    async (records) => {
      given += records.length;
    },
  );
  await consumer.ready;
  const before = fetches;
  const publish = () => log.publish(topic, [{ key: 'a', value: Buffer.from('x'), headers: {} }]);
  for (let call = 0; call < calls; call += 1) await publish();
  await eventually('all of them', () => given === calls, deadlineMs);
  await consumer.close();
  return fetches - before;
}

describe('fetches', () => {
  let log: KafkaEventLog;
  beforeAll(() => {
    log = new KafkaEventLog(kafkaSettings());
  });
  afterAll(() => log.close(), deadlineMs);

  test(
    'records that may gather take a few fetches, where each call to publish takes one without',
    async () => {
      const share = async () => (await fetched(log, gatherMs)) / (await fetched(log));
      expect(await quickest(1 / 3, share)).toBeLessThan(1 / 3);
    },
    deadlineMs,
  );
});
