import { MemoryEventStore, MemoryLeases, MemoryReadStore } from '@aos/adapters/memory';
import { SystemClock, SystemIds } from '@aos/adapters/system';
import { rfc3339, type JsonObject } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { OrderedRebuild } from '@aos/platform';
import { OrderedUsage } from './ordered-usage.js';
import { UsageProjector } from './usage-projector.js';
import { sumsCollection, usageCollection } from './usage.wire.js';

const orgId = 'org_1';
const stopping: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

function world() {
  const clock = new SystemClock();
  const ids = new SystemIds();
  const store = new MemoryEventStore({ clock });
  const readStore = new MemoryReadStore();
  const revisions = new Map<string, number>();
  const record = async (session: string, type: string, data: JsonObject, more: Record<string, string> = {}) => {
    const last = revisions.get(session);
    revisions.set(session, (last ?? -1) + 1);
    const meta = { schema_version: '1', org_id: orgId, recorded_at: rfc3339(clock.now()), ...more };
    await store.append(`session-${session}`, last ?? 'none', [{ id: ids.uuid(), type, data, meta }]);
  };
  const turn = async (session: string, turnId: string, key: string): Promise<void> => {
    await record(session, 'TurnQueued', { turn: { id: turnId }, input: {} }, { api_key_id: key });
    const usage = { input_tokens: 3, output_tokens: 2, calls: 1 };
    await record(session, 'ModelAnswered', { turn_id: turnId, usage, model: 'm', provider: 'p' });
  };
  const start = (): UsageProjector => {
    const projector = new UsageProjector(store, readStore, new MemoryLeases(clock), clock, ids);
    projector.onApplicationBootstrap();
    stopping.push(() => projector.onApplicationShutdown());
    return projector;
  };
  const all = async (name: string) => {
    const found: { scope: string; key: string; doc: JsonObject | null }[] = [];
    for await (const { scope, key, doc } of readStore.dump(name)) found.push({ scope, key, doc });
    return found;
  };
  const shown = (rows: number) => eventually('the rows', async () => (await all(usageCollection)).length === rows);
  return { clock, store, readStore, record, turn, start, all, shown };
}

describe('rule TE72: rows of usage from the log', () => {
  it('are one for each call, with the counters that are not 0 and the key of the admission, and sums by day', async () => {
    const { turn, record, start, all, shown } = world();
    await turn('ses_1', 'turn_1', 'cred_1');
    await turn('ses_2', 'turn_2', 'cred_1');
    await record('ses_1', 'TranscriptSummarised', {
      pass: { turn_id: 'turn_1', summary_model: 's' },
      row: {},
      usage: { output_tokens: 5, cache_read_input_tokens: 7 },
    });
    start();
    await shown(3);
    expect(
      (await all(usageCollection)).map(({ doc }) => [doc?.session_id, doc?.quantities, doc?.api_key_id, doc?.model]),
    ).toEqual([
      ['ses_1', { input_tokens: 3, output_tokens: 2 }, 'cred_1', 'm'],
      ['ses_2', { input_tokens: 3, output_tokens: 2 }, 'cred_1', 'm'],
      ['ses_1', { output_tokens: 5, cache_read_input_tokens: 7 }, 'cred_1', 's'],
    ]);
    expect((await all(sumsCollection)).map(({ doc }) => [doc?.calls, doc?.quantities])).toEqual([
      [3, { input_tokens: 6, output_tokens: 9, cache_read_input_tokens: 7 }],
    ]);
  });

  it('are the same when they are built again, and a projector that begins anew counts nothing twice', async () => {
    const { clock, store, readStore, turn, start, all, shown } = world();
    for (let n = 0; n < 5; n += 1) await turn(`ses_${n % 2}`, `turn_${n}`, 'cred_1');
    await start().onApplicationShutdown();
    const second = start();
    await shown(5);
    const before = [await all(usageCollection), await all(sumsCollection)];
    await second.onApplicationShutdown();
    // the checkpoint is lost, the rows are not
    await readStore.drop('nothing', usageCollection);
    expect(await readStore.checkpoint(usageCollection)).toBeNull();
    start();
    await eventually('the checkpoint', async () => ((await readStore.checkpoint(usageCollection)) ?? '') !== '');
    expect([await all(usageCollection), await all(sumsCollection)]).toEqual(before);
    const compared = await new OrderedRebuild({ store, readStore, clock }, new OrderedUsage(store)).run();
    expect(compared).toMatchObject([
      { collection: usageCollection, rows: 5, matches: true },
      { collection: sumsCollection, matches: true },
    ]);
  });

  it('find the admission of a turn that another process admitted long before', async () => {
    const { store, record, readStore, turn } = world();
    await turn('ses_1', 'turn_1', 'cred_old');
    for (let n = 0; n < 600; n += 1) await record('ses_1', 'TitleChanged', { title: String(n), at: '' });
    await record('ses_1', 'ModelAnswered', {
      turn_id: 'turn_1',
      usage: { input_tokens: 1 },
      model: 'm',
      provider: 'p',
    });
    const [last] = await store.read('session-ses_1', { backwards: true, limit: 1 });
    const rows = await new OrderedUsage(store).of(last ? [last] : [], readStore);
    expect(rows[0]?.doc).toMatchObject({ api_key_id: 'cred_old', quantities: { input_tokens: 1 } });
  });
});
