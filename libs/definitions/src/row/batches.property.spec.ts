import fc from 'fast-check';
import { Logger } from '@nestjs/common';
import { Refusal, StoreUnavailable } from '@aos/kernel';
import type { TableRecord } from '../table/table.state.js';
import { backend, newWorld, type World } from '../testing/definitions.fixture.js';
import { MortalStore } from '../testing/mortal-store.fixture.js';
import { tablesProcess, type TablesProcess } from '../testing/tables.fixture.js';

beforeAll(() => {
  Logger.overrideLogger(false);
});

const identities = ['a', 'b', 'c', 'd', 'e', 'f'];
const step = fc.oneof(
  fc.record({ do: fc.constant('bulk' as const), ids: fc.shuffledSubarray(identities, { minLength: 1 }) }),
  fc.record({
    do: fc.constant('insert' as const),
    ids: fc.shuffledSubarray(identities, { minLength: 1, maxLength: 1 }),
  }),
  fc.record({
    do: fc.constant('upsert' as const),
    ids: fc.shuffledSubarray(identities, { minLength: 1, maxLength: 1 }),
  }),
);
const death = fc.option(fc.record({ append: fc.nat(14), written: fc.boolean() }));
const round = fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 4 }), deaths: fc.tuple(death, death) });
type Step = { do: 'bulk' | 'insert' | 'upsert'; ids: string[] };

/** Runs until all are settled, with time passing while somebody waits for it. */
async function settle(world: World, running: Promise<unknown>): Promise<void> {
  let done = false;
  const ended = running.finally(() => {
    done = true;
  });
  for (let turn = 0; !done && turn < 100_000; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    if (!done && world.clock.pendingTimers > 0) world.clock.advance(25);
  }
  await ended;
}

class Run {
  readonly world = newWorld({ replicas: true });
  private readonly observer: TablesProcess = tablesProcess(this.world);
  private table!: TableRecord;
  private made = 0;
  /** Rows that each bulk wanted, by its mark. */
  private readonly sizes = new Map<string, number>();
  private readonly acknowledged = new Set<string>();

  async start(): Promise<void> {
    this.table = await this.observer.table();
  }

  async round({
    steps,
    deaths,
  }: {
    steps: Step[];
    deaths: ({ append: number; written: boolean } | null)[];
  }): Promise<void> {
    const look = () => this.look(this.observer);
    const processes = deaths.map((each) =>
      tablesProcess({ ...this.world, store: new MortalStore(this.world.store, each, look) }),
    );
    await settle(
      this.world,
      Promise.all(steps.map((each, index) => this.take(each, processes[index % 2] as TablesProcess))),
    );
  }

  private async take({ do: what, ids }: Step, process: TablesProcess): Promise<void> {
    const mark = `m${(this.made += 1)}`;
    const context = { who: backend, table: this.table, deliveryId: null };
    try {
      if (what === 'bulk') {
        this.sizes.set(mark, ids.length);
        await process.bulk.insert(
          backend,
          this.table,
          ids.map((id) => ({ id, mark })),
        );
        this.acknowledged.add(mark);
      } else if (what === 'insert') {
        await process.rows.insert(context, { id: ids[0] ?? '', single: mark });
      } else {
        await process.rows.upsert(context, { id: ids[0] ?? '', single: mark });
      }
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof StoreUnavailable)) throw error;
    }
  }

  /** What a list shows, and what each row's own stream says: of a batch all or nothing, of an identity one. */
  async look(reader: TablesProcess): Promise<void> {
    const rows = await reader.all(this.table);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    this.requireWhole(rows.map(({ mark }) => mark));
  }

  private requireWhole(marks: unknown[]): void {
    for (const [mark, size] of this.sizes) {
      const shown = marks.filter((each) => each === mark).length;
      if (shown !== 0 && shown !== size) throw new Error(`${shown} of ${size} rows of ${mark} are shown`);
    }
  }

  async check(): Promise<void> {
    this.world.clock.advance(20_000);
    const reader = tablesProcess(this.world);
    await reader.project();
    await reader.timers.poll();
    await this.look(reader);
    const marks: unknown[] = [];
    for (const id of identities) marks.push((await reader.reader.byIdentity(this.table, id))?.data.mark);
    this.requireWhole(marks);
    for (const mark of this.acknowledged) expect(marks).toContain(mark);
    for (const id of identities) {
      const known = await reader.reader.byIdentity(this.table, id);
      const again = reader.rows.insert({ who: backend, table: this.table, deliveryId: null }, { id });
      if (known) await expect(again).rejects.toMatchObject({ code: 'already_exists', details: { row_id: known.id } });
      else expect((await again).version).toBe(1);
    }
    expect((await reader.all(this.table)).map(({ id }) => id).sort()).toEqual(identities);
  }
}

describe('batches of rows under races and deaths', () => {
  it('stand whole or not at all for every reader at every moment, and nothing acknowledged is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 3 }), async (rounds) => {
        const run = new Run();
        await run.start();
        for (const each of rounds) await run.round(each);
        await run.check();
      }),
      { numRuns: 120, seed: 20260101 },
    );
  });

  it('a writer that dies at any append leaves all rows or none, and their identities free or taken alike', async () => {
    for (let append = 0; append <= 6; append += 1) {
      for (const written of [false, true]) {
        const run = new Run();
        await run.start();
        await run.round({ steps: [{ do: 'bulk', ids: ['a', 'b', 'c', 'd'] }], deaths: [{ append, written }] });
        await run.check();
      }
    }
  });
});

describe('a row that takes another identity', () => {
  it('is in one place at every moment, whenever its writer dies', async () => {
    for (let append = 0; append <= 4; append += 1) {
      for (const written of [false, true]) {
        const world = newWorld({ replicas: true });
        const service = tablesProcess(world);
        const table = await service.table();
        const context = { who: backend, table, deliveryId: null };
        const row = await service.rows.insert(context, { id: 'a', n: 1 });
        const look = async () => {
          const [ids, byId] = [(await service.all(table)).map(({ id }) => id), await service.reader.row(table, row.id)];
          expect(ids).toHaveLength(1);
          expect(byId?.row.identity).toBe(ids[0]);
        };
        const mortal = new MortalStore(world.store, { append, written }, look);
        const dying = tablesProcess({ ...world, store: mortal });
        await settle(
          world,
          dying.rows.update(context, row.id, { data: { id: 'b' }, version: null }).catch((error: unknown) => {
            if (!(error instanceof StoreUnavailable)) throw error;
          }),
        );
        world.clock.advance(20_000);
        await service.project();
        await service.timers.poll();
        await look();
        const after = await service.rows.update(context, row.id, { data: { n: 2 }, version: null });
        expect(after).toMatchObject({ id: row.id, data: { n: 2 } });
        const other = after.identity === 'a' ? 'b' : 'a';
        expect((await service.rows.insert(context, { id: other })).id).not.toBe(row.id);
        expect((await service.all(table)).map(({ id }) => id).sort()).toEqual(['a', 'b']);
      }
    }
  });
});
