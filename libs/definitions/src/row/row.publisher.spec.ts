import type { OpenedEvent, RecordedEvent } from '@aos/kernel';
import { backend, newWorld, type World } from '../testing/definitions.fixture.js';
import { tablesProcess } from '../testing/tables.fixture.js';
import { batchPublisher, rowPublisher } from './row.publisher.js';

async function recorded(world: World, prefixes: string[]): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  let caughtUp = (): void => undefined;
  const all = new Promise<void>((resolve) => {
    caughtUp = resolve;
  });
  const seen = world.store.subscribe(
    {
      name: 'check',
      prefixes,
      from: 'start',
      onCaughtUp: () => {
        caughtUp();
      },
    },
    async (events) => {
      found.push(...events);
    },
  );
  await all;
  await seen.close();
  return found;
}

const told = (world: World) =>
  recorded(world, ['tablerow-', 'tablebatch-']).then((log) =>
    log.flatMap((event) => {
      const publisher = event.stream.startsWith('tablerow-') ? rowPublisher : batchPublisher;
      if (!publisher.publishes.has(event.type)) return [];
      const needed = (publisher.needs?.(event) ?? []).map(
        ({ stream, revision }) => log.find((one) => one.stream === stream && one.revision === revision) as OpenedEvent,
      );
      return publisher.publish(event, needed);
    }),
  );

describe('what the outside is told of rows', () => {
  it('a batch in its order when it is committed, nothing of one that is released, an identity change as one update', async () => {
    const world = newWorld();
    const service = tablesProcess(world);
    const table = await service.table();
    const rows = await service.bulk.insert(backend, table, [{ id: 'c' }, { id: 'a' }, { id: 'b' }]);
    await expect(service.bulk.insert(backend, table, [{ id: 'd' }, { id: 'a' }])).rejects.toMatchObject({
      code: 'already_exists',
    });
    await service.rows.update({ who: backend, table, deliveryId: null }, rows[0]?.id ?? '', {
      data: { id: 'e' },
      version: null,
    });
    const events = await told(world);
    expect(events.map(({ event_type: type, event }) => [type, event.identity])).toEqual([
      ['table.row.inserted', 'c'],
      ['table.row.inserted', 'a'],
      ['table.row.inserted', 'b'],
      ['table.row.updated', 'e'],
    ]);
    expect(events.at(-1)?.event).toMatchObject({
      row_id: rows[0]?.id,
      previous_data: { id: 'c' },
      changed_columns: ['id'],
      version: 2,
    });
    expect(new Set(events.map(({ event_id: id }) => id)).size).toBe(4);
    expect(events[0]).toMatchObject({
      source_kind: 'table_row',
      source_id: rows[0]?.id,
      reach: { table_id: table.id },
      routing: { table_id: table.id, table_name: table.wire.name },
    });
  });
});
