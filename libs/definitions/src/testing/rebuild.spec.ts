import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dueCollection, type ReadStore } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { MemoryReadStore } from '@aos/adapters/memory';
import { SqliteEventStore, SqliteReadStore, ViewsFile } from '@aos/adapters/sqlite';
import { CreateAgent } from '../agents/agents.handlers.js';
import { backend, newWorld } from './definitions.fixture.js';
import { tablesProcess } from './tables.fixture.js';

describe('read models of definitions, on the embedded stores', () => {
  const directory = mkdtempSync(join(tmpdir(), 'definitions-'));
  const clock = new ManualClock();
  let store: SqliteEventStore;
  let views: ViewsFile;

  beforeAll(async () => {
    store = await SqliteEventStore.open({ directory, clock });
    views = await ViewsFile.open({ file: join(directory, 'views.db'), clock });
  });

  afterAll(async () => {
    await views.close();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function dump(readStore: ReadStore, collection: string): Promise<string> {
    const lines: string[] = [];
    for await (const line of readStore.dump(collection)) lines.push(JSON.stringify(line));
    return lines.join('\n');
  }

  it('built again from the log are the same, byte for byte', async () => {
    const live = new SqliteReadStore(views);
    const service = tablesProcess({ ...newWorld(), clock, store, readStore: live });
    const table = await service.table({
      columns: [
        { name: 'id', type: 'string' },
        { name: 'n', type: 'number', indexed: true },
      ],
    });
    const context = { who: backend, table, deliveryId: null };
    const { agent } = await service.createAgent.execute(
      new CreateAgent(backend, { body: { name: 'a', visibility: 'organization' } }),
    );
    const rows = await service.bulk.insert(
      backend,
      table,
      Array.from({ length: 40 }, (_, n) => ({ id: `b${n}`, n, text: `Word${n} and more` })),
    );
    const [first, second, third] = rows.map(({ id }) => id);
    await service.rows.update(context, first ?? '', { data: { n: -1 }, version: 1 });
    await service.rows.update(context, second ?? '', { data: { id: 'moved' }, version: null });
    await service.rows.delete(context, third ?? '');
    await expect(service.bulk.insert(backend, table, [{ id: 'new' }, { id: 'b5' }])).rejects.toMatchObject({
      code: 'already_exists',
    });
    await service.rows.insert(context, { id: 'large', text: 'x'.repeat(150_000) });
    const memory = {
      who: backend,
      agentId: String(agent.id),
      userId: '',
      key: 'k',
      reason: 'api' as const,
      deliveryId: null,
    };
    await service.entries.save(memory, { content: 'one' });
    await service.entries.save({ ...memory, key: 'l' }, { content: 'two' });
    await service.entries.delete(memory);

    expect(
      (
        await service.reader.query(table, { filter: { n: { $lt: 3 } }, sort: [{ field: 'n', order: 'desc' }] })
      ).rows.map(({ data }) => data.id),
    ).toEqual(['moved', 'b0']);
    expect((await service.reader.query(table, { filter: { id: 'large' } })).rows[0]?.data.text).toHaveLength(150_000);
    expect((await service.reader.search(table, { query: 'word1' })).rows).toHaveLength(11);

    const rebuilt = new MemoryReadStore();
    await service.project(rebuilt);
    const collections = [...service.projections.all.map(({ name, version }) => `${name}@${version}`), dueCollection];
    for (const collection of collections)
      expect(`${collection}\n${await dump(rebuilt, collection)}`).toBe(
        `${collection}\n${await dump(live, collection)}`,
      );
    expect((await dump(live, 'tablerows@1')).length).toBeGreaterThan(1000);
  });
});
