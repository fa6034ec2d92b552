import type { NewEvent, Publisher, RecordedEvent } from '@aos/kernel';
import { ManualClock, collectGarbage } from '@aos/kernel/testing';
import { MemoryBlobs, MemoryEventStore } from '@aos/adapters/memory';
import { Payloads } from '@aos/platform';
import { PublicEvents } from './public-events.js';

/** Things are told with the title that they were opened with. */
const things: Publisher = {
  prefix: 'thing-',
  events: { Opened: { version: 1, upcasters: {} }, Used: { version: 1, upcasters: {} } },
  publishes: new Set(['Used']),
  needs: ({ stream }) => [{ stream, revision: 0 }],
  publish: (_event, [opening]) => [
    {
      event_type: 'thing.used',
      source_kind: 'thing',
      source_id: 'thing_1',
      event: { title: (opening?.data as { title: string }).title },
      routing: {},
      reach: {},
    },
  ],
};

function world() {
  const store = new MemoryEventStore({ clock: new ManualClock() });
  const reads: string[] = [];
  const read = store.read.bind(store);
  store.read = (stream, options) => {
    reads.push(stream);
    return read(stream, options);
  };
  const events = new PublicEvents(store, new Payloads(new MemoryBlobs()));
  events.register(things);
  let count = 0;
  const event = (type: string, data: NewEvent['data']): NewEvent => ({
    id: `00000000-0000-4000-8000-${String((count += 1)).padStart(12, '0')}`,
    type,
    data,
    meta: { org_id: 'org_1', recorded_at: '2026-01-01T00:00:00.000Z' },
  });
  const recorded = async (stream: string, revision: number): Promise<RecordedEvent[]> =>
    read(stream, { from: revision, limit: 100 });
  const titles = async (batch: readonly RecordedEvent[]) =>
    (await events.all(batch)).map(({ envelope }) => envelope.event.title);
  return { store, reads, event, recorded, titles };
}

describe('the opening of a stream that is told with its other events', () => {
  it('is read by nobody who gets it with them, nor later', async () => {
    const { store, reads, event, recorded, titles } = world();
    await store.append('thing-a', 'none', [event('Opened', { title: 'A' }), event('Used', {}), event('Used', {})]);
    expect(await titles(await recorded('thing-a', 0))).toEqual(['A', 'A']);
    await store.append('thing-a', 2, [event('Used', {})]);
    expect(await titles(await recorded('thing-a', 3))).toEqual(['A']);
    expect(reads).toEqual([]);
  });

  it('is kept for those that come after its batch', async () => {
    const { store, reads, event, recorded, titles } = world();
    await store.append('thing-a', 'none', [event('Opened', { title: 'A' })]);
    expect(await titles(await recorded('thing-a', 0))).toEqual([]);
    await store.append('thing-a', 0, [event('Used', {})]);
    expect(await titles(await recorded('thing-a', 1))).toEqual(['A']);
    expect(reads).toEqual([]);
  });

  it('is read once by who comes later', async () => {
    const { store, reads, event, recorded, titles } = world();
    await store.append('thing-a', 'none', [event('Opened', { title: 'A' }), event('Used', {}), event('Used', {})]);
    expect(await titles(await recorded('thing-a', 2))).toEqual(['A']);
    expect(await titles(await recorded('thing-a', 1))).toEqual(['A', 'A']);
    expect(reads).toEqual(['thing-a']);
  });

  it('is kept without what it was read with', async () => {
    const { store, reads, event, recorded, titles } = world();
    await store.append('thing-a', 'none', [event('Opened', { title: 'A' }), event('Used', {})]);
    const [opened, used] = await recorded('thing-a', 0);
    const read = async () => {
      const asRead = { ...opened!, readWith: [used] };
      expect(await titles([asRead])).toEqual([]);
      return new WeakRef(asRead);
    };
    const asRead = await read();
    await collectGarbage();
    expect(asRead.deref()).toBeUndefined();
    expect(await titles([used!])).toEqual(['A']);
    expect(reads).toEqual([]);
  });

  it('is kept by nobody when it is large', async () => {
    const { store, reads, event, recorded, titles } = world();
    const title = 'a'.repeat(9_000);
    await store.append('thing-a', 'none', [event('Opened', { title }), event('Used', {})]);
    expect(await titles(await recorded('thing-a', 0))).toEqual([title]);
    const before = reads.length;
    expect(await titles(await recorded('thing-a', 1))).toEqual([title]);
    expect(await titles(await recorded('thing-a', 1))).toEqual([title]);
    expect(reads.length).toBe(before + 2);
  });
});
