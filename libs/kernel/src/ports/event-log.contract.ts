import { eventually, uniqueName } from '../testing/eventually.js';
import {
  RecordRefused,
  type ConsumedRecord,
  type ConsumeOptions,
  type EventLog,
  type LogConsumer,
  type LogRecord,
} from './event-log.js';

export interface OpenedEventLog {
  log: EventLog;
  close(): Promise<void>;
}

const deadlineMs = 180_000;
const dayMs = 86_400_000;

function record(key: string, n: number): LogRecord {
  return {
    key,
    value: Buffer.from(JSON.stringify({ n, text: 'ä€😀' })),
    headers: { ce_id: `${key}:${n}`, ce_type: 'thing.happened' },
  };
}

const numberOf = ({ value }: ConsumedRecord): number =>
  (JSON.parse(Buffer.from(value).toString('utf8')) as { n: number }).n;

/** The EventLog port's suite. Takes how an adapter is opened; every test uses topics and groups of its own. */
export function eventLogContract(name: string, open: () => Promise<OpenedEventLog>): void {
  describe(`EventLog: ${name}`, () => {
    let opened: OpenedEventLog;
    const log = () => opened.log;
    const newTopic = async (partitions = 4) => {
      const topic = uniqueName('contract.');
      await log().ensureTopics([{ topic, partitions, retentionMs: dayMs }]);
      return topic;
    };
    beforeAll(async () => {
      opened = await open();
    }, deadlineMs);
    afterAll(async () => {
      await opened.close();
    }, deadlineMs);

    publishContract(log, newTopic);
    consumeContract(log, newTopic);
    groupContract(log, newTopic);
  });
}

type Log = () => EventLog;
type NewTopic = (partitions?: number) => Promise<string>;

function collect(
  log: EventLog,
  topic: string,
  options: Partial<ConsumeOptions> = {},
): { seen: ConsumedRecord[]; consumer: LogConsumer } {
  const seen: ConsumedRecord[] = [];
  const consumer = log.consume(
    { topics: [topic], group: uniqueName('group.'), from: 'earliest', commit: false, ...options },
    async (records) => {
      seen.push(...records);
    },
  );
  return { seen, consumer };
}

function publishContract(log: Log, newTopic: NewTopic): void {
  test(
    'records come back whole, those of one key in order and in one partition',
    async () => {
      const topic = await newTopic();
      const keys = Array.from({ length: 12 }, (_, n) => `key-${n}`);
      for (let n = 0; n < 10; n += 1)
        await log().publish(
          topic,
          keys.map((key) => record(key, n)),
        );
      const { seen, consumer } = collect(log(), topic);
      await eventually('all records', () => seen.length >= 120, deadlineMs);
      await consumer.close();
      for (const key of keys) {
        const own = seen.filter((one) => one.key === key);
        expect(own.map(numberOf)).toEqual(Array.from({ length: 10 }, (_, n) => n));
        expect(new Set(own.map(({ partition }) => partition)).size).toBe(1);
        expect(own[3]).toMatchObject({ topic, headers: { ce_id: `${key}:3`, ce_type: 'thing.happened' } });
        const offsets = own.map(({ offset }) => BigInt(offset));
        expect(offsets.every((offset, n) => n === 0 || offset > offsets[n - 1]!)).toBe(true);
      }
      expect(new Set(seen.map(({ partition }) => partition)).size).toBeGreaterThan(1);
    },
    deadlineMs,
  );

  test(
    'a record may name its partition; tails are the last record of each that has one',
    async () => {
      const topic = await newTopic();
      expect(await log().tails(topic)).toEqual([]);
      await log().publish(
        topic,
        [0, 2].map((partition) => ({ ...record('beat', partition), partition })),
      );
      await log().publish(topic, [{ ...record('beat', 22), partition: 2 }]);
      const tails = [...(await log().tails(topic))].sort((a, b) => a.partition - b.partition);
      expect(tails.map((tail) => [tail.partition, numberOf(tail)])).toEqual([
        [0, 0],
        [2, 22],
      ]);
    },
    deadlineMs,
  );

  test(
    'ensuring a topic again changes nothing',
    async () => {
      const topic = await newTopic(2);
      await log().publish(topic, [record('a', 1)]);
      await log().ensureTopics([{ topic, partitions: 2, retentionMs: dayMs }]);
      expect(await log().tails(topic)).toHaveLength(1);
    },
    deadlineMs,
  );

  test(
    'a record that is too large is refused for good, and later ones go through',
    async () => {
      const topic = await newTopic(1);
      await expect(
        log().publish(topic, [{ ...record('a', 1), value: Buffer.alloc(2 * 1024 * 1024, 'x') }]),
      ).rejects.toBeInstanceOf(RecordRefused);
      await log().publish(topic, [record('a', 2)]);
      expect((await log().tails(topic)).map(numberOf)).toEqual([2]);
    },
    deadlineMs,
  );
}

function consumeContract(log: Log, newTopic: NewTopic): void {
  test(
    'from the latest it gives what comes once it is ready; fetches tell of themselves',
    async () => {
      const topic = await newTopic(2);
      await log().publish(topic, [record('old', 1)]);
      let fetches = 0;
      const { seen, consumer } = collect(log(), topic, {
        from: 'latest',
        onFetch: () => {
          fetches += 1;
        },
      });
      await consumer.ready;
      await eventually('a fetch without records', () => fetches > 0, deadlineMs);
      await log().publish(topic, [record('new', 2), record('new', 3)]);
      await eventually('the new records', () => seen.length >= 2, deadlineMs);
      expect(seen.map(({ key }) => key)).toEqual(['new', 'new']);
      await consumer.close();
    },
    deadlineMs,
  );

  test(
    'what a handler threw is given again, in order',
    async () => {
      const topic = await newTopic(1);
      await log().publish(
        topic,
        [1, 2, 3].map((n) => record('a', n)),
      );
      const seen: number[] = [];
      let failures = 2;
      let troubles = 0;
      const consumer = log().consume(
        {
          topics: [topic],
          group: uniqueName('group.'),
          from: 'earliest',
          commit: true,
          onTrouble: () => {
            troubles += 1;
          },
        },
        async (records) => {
          if (failures > 0) {
            failures -= 1;
            throw new Error('the handler broke');
          }
          seen.push(...records.map(numberOf));
        },
      );
      await eventually('all records', () => seen.length >= 3, deadlineMs);
      await consumer.close();
      expect([...new Set(seen)]).toEqual([1, 2, 3]);
      expect(troubles).toBeGreaterThanOrEqual(1);
    },
    deadlineMs,
  );

  test(
    'a consumer whose records may gather gets all of them, in order per key',
    async () => {
      const topic = await newTopic(2);
      const seen: [string, number][] = [];
      const consumer = log().consume(
        { topics: [topic], group: uniqueName('group.'), from: 'earliest', commit: false, gatherMs: 100 },
        async (records) => {
          seen.push(...records.map((one): [string, number] => [one.key, numberOf(one)]));
        },
      );
      await consumer.ready;
      for (let n = 0; n < 20; n += 1) await log().publish(topic, [record('a', n), record('b', n)]);
      await eventually('all of them', () => seen.length >= 40, deadlineMs);
      await consumer.close();
      for (const key of ['a', 'b'])
        expect(seen.filter(([of]) => of === key).map(([, n]) => n)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    },
    deadlineMs,
  );

  test(
    "a group of one's own sees everything",
    async () => {
      const topic = await newTopic(2);
      const both = [collect(log(), topic), collect(log(), topic)];
      await log().publish(
        topic,
        ['a', 'b', 'c', 'd'].map((key, n) => record(key, n)),
      );
      await eventually('both see all', () => both.every(({ seen }) => seen.length >= 4), deadlineMs);
      await Promise.all(both.map(({ consumer }) => consumer.close()));
    },
    deadlineMs,
  );
}

function groupContract(log: Log, newTopic: NewTopic): void {
  test(
    'a group resumes after its last commit',
    async () => {
      const topic = await newTopic(2);
      const group = uniqueName('group.');
      await log().publish(
        topic,
        ['a', 'b', 'c'].map((key, n) => record(key, n)),
      );
      const first = collect(log(), topic, { group, commit: true });
      await eventually('three records', () => first.seen.length >= 3, deadlineMs);
      await first.consumer.close();
      await log().publish(
        topic,
        ['a', 'b', 'c'].map((key, n) => record(key, n + 10)),
      );
      const second = collect(log(), topic, { group, commit: true });
      await eventually(
        'the three after them',
        () => second.seen.filter((one) => numberOf(one) >= 10).length >= 3,
        deadlineMs,
      );
      await second.consumer.close();
      expect(second.seen.map(numberOf).sort()).toEqual([10, 11, 12]);
    },
    deadlineMs,
  );

  test(
    'consumers of one group share the records between them',
    async () => {
      const topic = await newTopic(4);
      const group = uniqueName('group.');
      const members = [collect(log(), topic, { group, commit: true }), collect(log(), topic, { group, commit: true })];
      await Promise.all(members.map(({ consumer }) => consumer.ready));
      for (let n = 0; n < 10; n += 1)
        await log().publish(
          topic,
          Array.from({ length: 8 }, (_, key) => record(`key-${key}`, n)),
        );
      const ids = () => members.flatMap(({ seen }) => seen.map(({ headers }) => headers['ce_id']));
      await eventually('every record reached a member', () => new Set(ids()).size >= 80, deadlineMs);
      await Promise.all(members.map(({ consumer }) => consumer.close()));
    },
    deadlineMs,
  );
}
