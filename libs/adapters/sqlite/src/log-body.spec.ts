import { collectGarbage } from '@aos/kernel/testing';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { type StoredEvent, bodyOf, eventsOf, idsOf, metaOf, storedMeta } from './log-body.js';

const members = ['schema_version', 'org_id', 'recorded_at', 'ip', 'blobs', 'traceparent', 'correlation_id'];
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('1', '', ' ', '%20', 'a\nb', '-', '{'),
);
const metas = fc.dictionary(fc.oneof(fc.constantFrom(...members), text), text, { maxKeys: 6 });
const events: fc.Arbitrary<StoredEvent> = fc
  .record({ id: fc.oneof(fc.uuid(), text), type: text, meta: metas, data: fc.dictionary(fc.string(), fc.string()) })
  .map(({ id, type, meta, data }) => ({ id, type, ...storedMeta(meta), data: JSON.stringify(data) }));

test('metadata is read as it was written, whatever it is', () => {
  fc.assert(
    fc.property(metas, (meta) => {
      expect({ ...metaOf(storedMeta(meta)) }).toEqual({ ...meta });
    }),
  );
});

test('an append is read as it was written', () => {
  fc.assert(
    fc.property(fc.array(events, { minLength: 1, maxLength: 8 }), (written) => {
      const body = bodyOf(written);
      const read = eventsOf(body, written.length);
      expect(
        read.map(({ id, type, version, flags, meta, data }) => ({ id, type, version, flags, meta, data })),
      ).toEqual(written);
      expect(idsOf(body)).toEqual(written.map(({ id }) => id));
    }),
  );
});

test('the metadata of a turn and its ids are short, and events share a text', () => {
  const meta = { org_id: 'org_1', principal_id: 'p', recorded_at: '2026-11-24T10:00:00.000Z' };
  const id = 'df01ad8b-1faf-4324-8936-314dd6c0a33f';
  const event = (version: string, blobs: boolean) => ({
    ...{ id, type: 'Happened', data: '{}' },
    ...storedMeta({ schema_version: version, ...meta, ...(blobs && { blobs: '1' }) }),
  });
  expect(bodyOf([event('1', false), event('2', true)]).split('\n')).toEqual([
    '2 1',
    'oorg_1 pp t2026-11-24T10:00:00.000Z',
    '3wGtix-vQySJNjFN1sCjPw Happened 1 0 0',
    '{}',
    '3wGtix-vQySJNjFN1sCjPw Happened 2 1 0',
    '{}',
  ]);
});

test('a text of another format, or with another number of events, is refused', () => {
  const body = bodyOf([{ id: 'a', type: 'Happened', version: null, flags: 0, meta: '{}', data: '{}' }]);
  expect(() => eventsOf(body, 2)).toThrow(/an append of 2 events/);
  expect(() => eventsOf(body.replace('2', '3'), 1)).toThrow(/a format that is not known: 3/);
  expect(() => metaOf({ version: '1', flags: 0, meta: 'zvalue' })).toThrow(/a member that is not known: z/);
});

test('TP19: what is kept of an event holds nothing of the text of its append', async () => {
  const [appends, size] = [64, 1024 * 1024];
  const keep = (n: number) => {
    const meta = storedMeta({ schema_version: '1', org_id: 'org_of_some_length', request_id: `request_${n}_of_many` });
    const event = { id: randomUUID(), type: `SomethingHappened${n}`, data: JSON.stringify('x'.repeat(size)), ...meta };
    const [read] = eventsOf(bodyOf([event]), 1);
    return [read!.type, read!.id, metaOf(read!)];
  };
  await collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: appends }, (_, n) => keep(n));
  await collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan((appends * size) / 8);
  expect(kept).toHaveLength(appends);
});
