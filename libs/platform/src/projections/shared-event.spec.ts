import type { RecordedEvent } from '@aos/kernel';
import { PassBatch } from './catch-up-pass.js';

test('TP19: an event of a batch is decoded once for all of its readers, and not before one asks', () => {
  const decoded = { data: 0, meta: 0 };
  const recorded = (n: number): RecordedEvent => ({
    stream: `${n % 2 ? 'odd' : 'even'}-${n}`,
    revision: 0,
    position: String(n),
    id: String(n),
    type: 'Happened',
    get data() {
      decoded.data += 1;
      return { n };
    },
    get meta() {
      decoded.meta += 1;
      return { org_id: `org_${n}` };
    },
  });
  const batch = new PassBatch([0, 1, 2, 3].map(recorded));
  expect(decoded).toEqual({ data: 0, meta: 0 });
  const seen = [['odd-'], ['even-', 'odd-'], ['odd-']].map((prefixes) =>
    batch.of(prefixes).map(({ id, stream, data, meta }) => [id, stream, data, meta]),
  );
  expect(seen[0]).toEqual([
    ['1', 'odd-1', { n: 1 }, { org_id: 'org_1' }],
    ['3', 'odd-3', { n: 3 }, { org_id: 'org_3' }],
  ]);
  expect(seen[1]).toHaveLength(4);
  expect(seen[2]).toEqual(seen[0]);
  expect(decoded).toEqual({ data: 4, meta: 4 });
});
