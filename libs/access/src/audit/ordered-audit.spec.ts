import { rfc3339, type JsonObject } from '@aos/kernel';
import { SystemClock, SystemIds } from '@aos/adapters/system';
import { MemoryEventStore, MemoryLeases, MemoryReadStore } from '@aos/adapters/memory';
import { OrderedRebuild, type Compared } from '@aos/platform';
import { eventually } from '@aos/kernel/testing';
import { AuditMappings, auditCollection, type AuditMapping } from './audit-mapping.js';
import { AuditProjector } from './audit-projector.js';
import { OrderedAudit } from './ordered-audit.js';

const orgId = 'org_1';

/** Tells of every event of a thing: its name, and that of what it belongs to. */
const things: AuditMapping = {
  prefix: 'thing-',
  facts: ({ type, stream, data }) =>
    type === 'Touched'
      ? []
      : ['thing', 'owner'].map((name) => ({
          action: `${name}.${type.toLowerCase()}`,
          resource: { type: name, id: stream, name: null },
          after: data,
        })),
};

const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

async function audited(count: number) {
  const clock = new SystemClock();
  const ids = new SystemIds();
  const store = new MemoryEventStore({ clock });
  const readStore = new MemoryReadStore();
  const mappings = new AuditMappings();
  mappings.register(things);
  let revision = -1;
  const record = async (type: string): Promise<void> => {
    revision += 1;
    const meta = { schema_version: '1', org_id: orgId, principal_id: 'user_1', recorded_at: rfc3339(clock.now()) };
    await store.append('thing-1', revision === 0 ? 'none' : revision - 1, [
      { id: ids.uuid(), type, data: { revision }, meta },
    ]);
  };
  for (let n = 0; n < count; n += 1) for (const type of ['Changed', 'Touched']) await record(type);
  const projector = new AuditProjector(mappings, store, readStore, new MemoryLeases(clock), clock, ids);
  stopping.push(() => projector.onApplicationShutdown());
  const shown = async (rows: number) =>
    eventually(
      'shown',
      async () => (await readStore.count({ collection: auditCollection, scope: [orgId] }, 1000)) === rows,
    );
  projector.onApplicationBootstrap();
  await shown(count * 2);
  const check = (rows = readStore): Promise<Compared[]> =>
    new OrderedRebuild({ store, readStore: rows, clock }, new OrderedAudit(mappings, store, rows)).run();
  return { readStore, record, shown, check };
}

async function keysOf(readStore: MemoryReadStore): Promise<{ key: string; doc: JsonObject }[]> {
  return (await readStore.query({ collection: auditCollection, scope: [orgId], limit: 1000 })).rows;
}

describe('a check of the audit view', () => {
  it('gives the same hashes for what the log says, and leaves nothing behind', async () => {
    const { readStore, check } = await audited(3);
    expect(await check()).toMatchObject([{ collection: auditCollection, rows: 6, matches: true, differences: [] }]);
    for await (const { key } of readStore.dump(`${auditCollection}~ordered`)) throw new Error(`${key} was left`);
  });

  it('names rows that were changed, removed or left over', async () => {
    const { readStore, check } = await audited(2);
    const [changed, removed] = (await keysOf(readStore)) as [
      { key: string; doc: JsonObject },
      { key: string; doc: JsonObject },
    ];
    const place = { collection: auditCollection, scope: [orgId], revision: 99, index: {} };
    await readStore.put([
      { ...place, key: changed.key, doc: { ...changed.doc, request_id: 'another' } },
      { ...place, key: removed.key, doc: null },
      {
        ...place,
        key: 'evt_z',
        doc: { ...removed.doc, id: 'evt_z' },
        index: { at: String(removed.doc.occurred_at), position: '' },
      },
    ]);
    expect(await check()).toMatchObject([
      {
        matches: false,
        differences: [
          { scope: orgId, key: changed.key, what: 'different' },
          { key: removed.key, what: 'missing' },
          { key: 'evt_z', what: 'left over' },
        ],
      },
    ]);
  });

  it('stays true while events are recorded: what is behind the checkpoint of its look does not count', async () => {
    const { readStore, record, shown, check } = await audited(2);
    const moving = Object.assign(Object.create(readStore) as MemoryReadStore, {
      async *dump(name: string) {
        if (name === auditCollection) {
          await record('Changed');
          await shown(6);
        }
        yield* readStore.dump(name);
      },
    });
    expect(await check(moving)).toMatchObject([{ rows: 4, matches: true, differences: [] }]);
  });

  it('looks again where rows were on their way', async () => {
    const { readStore, check } = await audited(1);
    const [row] = await keysOf(readStore);
    let looks = 0;
    const late = Object.assign(Object.create(readStore) as MemoryReadStore, {
      async *dump(name: string) {
        if (name === auditCollection) looks += 1;
        for await (const one of readStore.dump(name))
          if (looks > 1 || name !== auditCollection || one.key !== row?.key) yield one;
      },
    });
    expect(await check(late)).toMatchObject([{ rows: 2, matches: true }]);
    expect(looks).toBe(2);
  });
});
