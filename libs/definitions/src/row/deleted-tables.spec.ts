import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { StoreUnavailable, type ReadStore, type RecordedEvent, dueCollection } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { MemoryReadStore } from '@aos/adapters/memory';
import { SqliteEventStore, SqliteReadStore, ViewsFile } from '@aos/adapters/sqlite';
import { OwnProjections, OwnStreams, Rebuilds } from '@aos/platform';
import { batchPublisher, rowPublisher } from './row.publisher.js';
import { rowsLeaveAfterMs } from '../table/table.limits.js';
import { backend, newWorld, orgId, type World } from '../testing/definitions.fixture.js';
import { MortalStore } from '../testing/mortal-store.fixture.js';
import { tablesProcess, type TablesProcess } from '../testing/tables.fixture.js';

const rowsCollection = 'tablerows@1';
const many = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `r${n}`, n }));

/** Rows that stand: the live side keeps tombstones at the revision that made them. */
const stood = async (readStore: ReadStore, collection: string) =>
  (await dump(readStore, collection)).filter((line) => !line.endsWith('"doc":null}'));

/** One look at the timers, and what it began. */
async function look(service: TablesProcess): Promise<void> {
  await service.timers.poll();
  await service.deletedTables.settled();
}

async function dump(readStore: ReadStore, collection: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readStore.dump(collection)) lines.push(JSON.stringify(line));
  return lines;
}

const standing = (readStore: ReadStore, tableId: string) =>
  readStore.count({ collection: rowsCollection, scope: [orgId, tableId] }, 10_000);
const waiting = async (readStore: ReadStore) =>
  (
    await readStore.query({
      collection: dueCollection,
      scope: ['*'],
      where: [{ index: 'handler', eq: 'tables.empty' }],
      limit: 10,
    })
  ).rows.length;

async function recorded(world: World, prefixes: string[]): Promise<RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  let isAll = false;
  const seen = world.store.subscribe(
    {
      name: 'check',
      prefixes,
      from: 'start',
      onCaughtUp: () => {
        isAll = true;
      },
    },
    async (events) => {
      found.push(...events);
    },
  );
  await eventually('the log was read', () => isAll);
  await seen.close();
  return found;
}

describe('rows of a deleted table', () => {
  it('leave in steps after a while, for a rebuild too, and nobody is told', async () => {
    const world = newWorld();
    const { readStore, clock } = world;
    const service = tablesProcess(world);
    const [gone, kept] = [await service.table(), await service.table()];
    await service.bulk.insert(backend, gone, many(250));
    await service.bulk.insert(backend, kept, many(3));
    await service.rows.insert({ who: backend, table: gone, deliveryId: null }, { id: 'single' });
    await expect(service.bulk.insert(backend, gone, [{ id: 'new' }, { id: 'r1' }])).rejects.toMatchObject({
      code: 'already_exists',
    });
    await service.deleteTable(gone);
    await look(service);
    expect(await standing(readStore, gone.id)).toBeGreaterThanOrEqual(251);
    clock.advance(rowsLeaveAfterMs);
    await look(service);
    expect(await standing(readStore, gone.id)).toBeLessThan(60);
    expect(await standing(readStore, gone.id)).toBeGreaterThan(0);
    for (let looks = 0; looks < 2; looks += 1) await look(service);
    expect(await standing(readStore, gone.id)).toBe(0);
    expect(await standing(readStore, kept.id)).toBe(3);
    expect(await waiting(readStore)).toBe(0);
    const before = (await recorded(world, ['table-', 'tablerow-'])).length;
    await look(service);
    expect(await recorded(world, ['table-', 'tablerow-'])).toHaveLength(before);

    const rebuilt = new MemoryReadStore();
    await service.project(rebuilt);
    for (const collection of [rowsCollection, 'tables@1', dueCollection])
      expect(await stood(rebuilt, collection)).toEqual(await stood(readStore, collection));
    expect(await dump(rebuilt, rowsCollection)).toEqual(await dump(readStore, rowsCollection));
    const told = (await recorded(world, ['tablerow-', 'tablebatch-'])).filter(({ stream, type }) =>
      (stream.startsWith('tablerow-') ? rowPublisher : batchPublisher).publishes.has(type),
    );
    expect(new Set(told.map(({ type }) => type))).toEqual(new Set(['RowInserted', 'BatchCommitted']));
    expect((await service.all(kept)).map(({ id }) => id)).toEqual(['r0', 'r1', 'r2']);
  });

  it('are all gone after a death at any append, when another process goes on', async () => {
    Logger.overrideLogger(false);
    for (let append = 0, died = true; died; append += 1) {
      const world = newWorld({ replicas: true });
      const first = tablesProcess(world);
      const table = await first.table();
      await first.bulk.insert(backend, table, many(5));
      await first.deleteTable(table);
      world.clock.advance(rowsLeaveAfterMs);
      const store = new MortalStore(world.store, { append, written: append % 2 === 0 });
      const mortal = tablesProcess({ ...world, store });
      for (let looks = 0; looks < 3; looks += 1) await look(mortal);
      died = store.hasDied;
      const next = tablesProcess(world);
      await next.project();
      for (let looks = 0; looks < 3; looks += 1) await look(next);
      expect(await standing(world.readStore, table.id)).toBe(0);
      expect(await waiting(world.readStore)).toBe(0);
      expect((await recorded(world, ['tablerow-'])).filter(({ type }) => type === 'RowDropped')).toHaveLength(5);
      expect((await recorded(world, ['table-'])).filter(({ type }) => type === 'TableEmptied')).toHaveLength(1);
      if (append > 20) throw new Error('it does not end');
    }
  });

  it('are found in the log when the read model lost them', async () => {
    const world = newWorld();
    const service = tablesProcess(world);
    const table = await service.table();
    await service.bulk.insert(backend, table, many(20));
    await service.deleteTable(table);
    await world.readStore.drop(rowsCollection, rowsCollection);
    world.clock.advance(rowsLeaveAfterMs);
    for (let looks = 0; looks < 3; looks += 1) await look(service);
    await service.project();
    expect(await standing(world.readStore, table.id)).toBe(0);
    expect(await waiting(world.readStore)).toBe(0);
    expect((await recorded(world, ['tablerow-'])).filter(({ type }) => type === 'RowDropped')).toHaveLength(20);
  });

  it('of one table that cannot be emptied now do not hold up the next', async () => {
    Logger.overrideLogger(false);
    const world = newWorld();
    const service = tablesProcess(world);
    const [stuck, next] = [await service.table(), await service.table()];
    await service.bulk.insert(backend, stuck, many(3));
    await service.bulk.insert(backend, next, many(3));
    const slots = new Set(
      (await world.readStore.query({ collection: rowsCollection, scope: [orgId, stuck.id], limit: 10 })).rows.map(
        ({ key }) => `tablerow-${key}`,
      ),
    );
    await service.deleteTable(stuck);
    world.clock.advance(1);
    await service.deleteTable(next);
    world.clock.advance(rowsLeaveAfterMs);
    world.store.faults = {
      beforeAppend: (stream) => {
        if (slots.has(stream)) throw new StoreUnavailable('not now');
      },
    };
    for (let looks = 0; looks < 4; looks += 1) await look(service);
    expect([await standing(world.readStore, stuck.id), await standing(world.readStore, next.id)]).toEqual([3, 0]);
    world.store.faults = {};
    world.clock.advance(10_000);
    for (let looks = 0; looks < 3; looks += 1) await look(service);
    expect(await standing(world.readStore, stuck.id)).toBe(0);
    expect(await waiting(world.readStore)).toBe(0);
  });

  it('are gone from the embedded stores, and a verified rebuild agrees', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'deleted-tables-'));
    const clock = new ManualClock();
    const store = await SqliteEventStore.open({ directory, clock });
    const views = await ViewsFile.open({ file: join(directory, 'views.db'), clock });
    const readStore = new SqliteReadStore(views);
    const service = tablesProcess({ ...newWorld(), clock, store, readStore });
    const [gone, kept] = [await service.table(), await service.table()];
    await service.bulk.insert(backend, gone, many(40));
    const [moved] = await service.bulk.insert(backend, kept, many(2));
    await service.rows.update({ who: backend, table: kept, deliveryId: null }, moved?.id ?? '', {
      data: { id: 'elsewhere' },
      version: null,
    });
    await service.deleteTable(gone);
    clock.advance(rowsLeaveAfterMs);
    for (let looks = 0; looks < 3; looks += 1) await look(service);
    expect(await standing(readStore, gone.id)).toBe(0);
    expect(await waiting(readStore)).toBe(0);
    const rebuilds = new Rebuilds(
      store,
      readStore,
      service.decisions,
      new OwnProjections(service.projections, service.decisions, new OwnStreams()),
      clock,
    );
    const { matches, collections } = await rebuilds.verify();
    expect({ matches, collections }).toMatchObject({ matches: true });
    expect(await standing(readStore, kept.id)).toBeGreaterThanOrEqual(2);
    await views.close();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
});
