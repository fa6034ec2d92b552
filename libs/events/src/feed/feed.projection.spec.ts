import fc from 'fast-check';
import { MemoryReadStore } from '@aos/adapters/memory';
import type { SourceEvent } from '../publishing/envelope.wire.js';
import { conditions, matches, type EventPage } from './events.queries.js';
import { feedRow, feedRows } from './feed.projection.js';

const orgId = 'org_1';
const types = ['session.message.created', 'session.message', 'session', 'interaction.created', 'type:session', 'a:b'];
const kinds = ['session', 'interaction', 'integration'];
const sources = ['ses_1', 'session', 'int_1', 'kind:session'];

const position = (n: number) => String(n).padStart(20, '0');
const published = (n: number, event_type: string, source_kind: string, source_id: string): SourceEvent =>
  ({
    orgId,
    position: position(n),
    receivedAt: `2026-01-01T00:00:0${n % 10}.000Z`,
    reach: {},
    envelope: { event_type, source_kind, source_id, event: {}, meta: {} },
  }) as unknown as SourceEvent;

it('TP29: a row of the feed stands in three indexes', () => {
  const { index } = feedRow(published(1, 'session.message.created', 'session', 'ses_1'), '');
  expect(Object.keys(index)).toHaveLength(3);
});

it('rule E4: what is asked for is found by its indexes, as by looking at each row', async () => {
  const event = fc.tuple(fc.constantFrom(...types), fc.constantFrom(...kinds), fc.constantFrom(...sources));
  const asked = fc.record<EventPage>(
    {
      event_type: fc.constantFrom(...types, 'session.*', 'interaction.*', '*', 'type.*').map((type) => [type]),
      source_kind: fc.constantFrom(...kinds),
      source_id: fc.constantFrom(...sources),
      order: fc.constantFrom('asc' as const, 'desc' as const),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 20 }), asked, async (events, page) => {
      const readStore = new MemoryReadStore();
      const all = events.map((each, n) => feedRow(published(n, ...each), ''));
      await readStore.put(all);
      const direction = page.order ?? 'asc';
      const { rows } = await feedRows.query(readStore, {
        scope: [orgId],
        where: conditions(page),
        orderBy: { index: 'position', direction },
        limit: 100,
      });
      const expected = all.filter(({ doc }) => matches(doc as never, page)).map(({ key }) => key);
      expect(rows.map(({ key }) => key)).toEqual(direction === 'asc' ? expected : expected.reverse());
    }),
    { numRuns: 300 },
  );
});
