import { randomUUID } from 'node:crypto';
import { uniqueName } from '../testing/eventually.js';
import { plain } from '../testing/recorded.js';
import { subscriptionContract } from './event-store-subscriptions.contract.js';
import { EventTooLarge, RevisionConflict, type EventStore, type NewEvent } from './event-store.js';

export interface OpenedEventStore {
  store: EventStore;
  /** Closes the store and opens it again over the same log; absent where nothing outlives the store. */
  reopen?: () => Promise<EventStore>;
  close(): Promise<void>;
}

const deadlineMs = 180_000;

export function contractEvent(n: number | string, text = ''): NewEvent {
  return { id: randomUUID(), type: 'ThingHappened', data: { n, text }, meta: { org_id: 'org_1', schema_version: '1' } };
}

/** The EventStore port's suite. Takes how an adapter is opened; every test uses streams of its own. */
export function eventStoreContract(name: string, open: () => Promise<OpenedEventStore>): void {
  describe(`EventStore: ${name}`, () => {
    let opened: OpenedEventStore;
    const current = () => opened;
    const newStream = () => `${uniqueName('contract')}-${uniqueName('s')}`;
    beforeAll(async () => {
      opened = await open();
    }, deadlineMs);
    afterAll(async () => {
      await opened.close();
    }, deadlineMs);

    appendContract(current, newStream);
    idempotencyContract(current, newStream);
    readContract(current, newStream);
    truncateContract(current, newStream);
    subscriptionContract(current);
    reopenContract(current, newStream);
  });
}

type Current = () => OpenedEventStore;
type NewStream = () => string;

function appendContract(current: Current, newStream: NewStream): void {
  test(
    'an append at none and at the exact revision is written whole, with increasing positions',
    async () => {
      const { store } = current();
      const stream = newStream();
      const first = [contractEvent(1), contractEvent(2, 'ä€😀 "quoted"\n')];
      const second = [contractEvent(3)];
      const a = await store.append(stream, 'none', first);
      const b = await store.append(stream, 1, second);
      expect([a.revision, b.revision]).toEqual([1, 2]);
      const stored = plain(await store.read(stream, { limit: 10 }));
      const positions = stored.map(({ position }) => position);
      expect([a.position, b.position]).toEqual(positions.slice(1));
      expect(positions[0]! < positions[1]! && positions[1]! < positions[2]!).toBe(true);
      const expected = [...first, ...second].map((event, revision) => ({
        ...event,
        stream,
        revision,
        position: positions[revision],
      }));
      expect(stored).toEqual(expected);
    },
    deadlineMs,
  );

  test(
    'at a wrong revision nothing is written and the conflict names the actual one',
    async () => {
      const { store } = current();
      const stream = newStream();
      await expect(store.append(stream, 3, [contractEvent(0)])).rejects.toMatchObject({
        name: 'RevisionConflict',
        stream,
        expected: 3,
        actual: 'none',
      });
      await store.append(stream, 'none', [contractEvent(1), contractEvent(2)]);
      await expect(store.append(stream, 'none', [contractEvent(3)])).rejects.toMatchObject({
        expected: 'none',
        actual: 1,
      });
      await expect(store.append(stream, 0, [contractEvent(4)])).rejects.toBeInstanceOf(RevisionConflict);
      await expect(store.append(stream, 2, [contractEvent(5)])).rejects.toMatchObject({ expected: 2, actual: 1 });
      expect(await store.read(stream, { limit: 10 })).toHaveLength(2);
    },
    deadlineMs,
  );

  test(
    'of many appends at one revision exactly one is written',
    async () => {
      const { store } = current();
      const stream = newStream();
      await store.append(stream, 'none', [contractEvent(0)]);
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) => store.append(stream, 0, [contractEvent(n)])),
      );
      const refused = results.filter((result) => result.status === 'rejected');
      expect(refused).toHaveLength(19);
      for (const { reason } of refused) expect(reason).toBeInstanceOf(RevisionConflict);
      expect(await store.heads([stream])).toEqual([1]);
    },
    deadlineMs,
  );

  test(
    'appends in flight together do not fail with one that conflicts',
    async () => {
      const { store } = current();
      const streams = Array.from({ length: 30 }, newStream);
      const results = await Promise.allSettled(
        streams.map((stream, n) =>
          store.append(stream, n % 3 === 0 ? 7 : 'none', [contractEvent(n), contractEvent(n)]),
        ),
      );
      expect(results.map(({ status }) => status)).toEqual(
        streams.map((_, n) => (n % 3 === 0 ? 'rejected' : 'fulfilled')),
      );
      expect(await store.heads(streams)).toEqual(streams.map((_, n) => (n % 3 === 0 ? 'none' : 1)));
    },
    deadlineMs,
  );

  test(
    'an event over 256 KiB or an append over 1 MiB is refused and nothing is written',
    async () => {
      const { store } = current();
      const stream = newStream();
      await expect(store.append(stream, 'none', [contractEvent(0, 'x'.repeat(300 * 1024))])).rejects.toBeInstanceOf(
        EventTooLarge,
      );
      const many = Array.from({ length: 6 }, (_, n) => contractEvent(n, 'y'.repeat(200 * 1024)));
      await expect(store.append(stream, 'none', many)).rejects.toBeInstanceOf(EventTooLarge);
      expect(await store.heads([stream])).toEqual(['none']);
      await store.append(stream, 'none', many.slice(0, 4));
      expect((await store.read(stream, { limit: 10 })).map(({ data }) => data)).toEqual(
        many.slice(0, 4).map(({ data }) => data),
      );
    },
    deadlineMs,
  );
}

function idempotencyContract(current: Current, newStream: NewStream): void {
  test(
    'the same ids at the same revision are one append, at any age',
    async () => {
      const { store } = current();
      const stream = newStream();
      const first = [contractEvent(1), contractEvent(2)];
      const second = [contractEvent(3), contractEvent(4)];
      const a = await store.append(stream, 'none', first);
      expect(await store.append(stream, 'none', first)).toEqual(a);
      const b = await store.append(stream, 1, second);
      for (let n = 0; n < 30; n += 1) await store.append(stream, 3 + n, [contractEvent(n)]);
      expect(await store.append(stream, 'none', first)).toEqual(a);
      expect(await store.append(stream, 1, second)).toEqual(b);
      expect(await store.heads([stream])).toEqual([33]);
    },
    deadlineMs,
  );

  test(
    'repeats in flight together are one append',
    async () => {
      const { store } = current();
      const stream = newStream();
      const events = [contractEvent(1), contractEvent(2)];
      const all = await Promise.all(Array.from({ length: 10 }, () => store.append(stream, 'none', events)));
      for (const one of all) expect(one).toEqual(all[0]);
      expect(await store.heads([stream])).toEqual([1]);
    },
    deadlineMs,
  );

  test(
    'ids that agree only in part are a conflict',
    async () => {
      const { store } = current();
      const stream = newStream();
      const [a, b, c] = [contractEvent('a'), contractEvent('b'), contractEvent('c')];
      await store.append(stream, 'none', [a, b]);
      await expect(store.append(stream, 'none', [a, c])).rejects.toBeInstanceOf(RevisionConflict);
      await expect(store.append(stream, 'none', [c, b])).rejects.toBeInstanceOf(RevisionConflict);
      await expect(store.append(stream, 'none', [a, b, c])).rejects.toBeInstanceOf(RevisionConflict);
      await expect(store.append(stream, 'none', [b])).rejects.toBeInstanceOf(RevisionConflict);
      expect((await store.read(stream, { limit: 10 })).map(({ id }) => id)).toEqual([a.id, b.id]);
    },
    deadlineMs,
  );

  test(
    'one id may be in two streams',
    async () => {
      const { store } = current();
      const event = contractEvent(1);
      const streams = [newStream(), newStream()];
      for (const stream of streams) await store.append(stream, 'none', [event]);
      expect(await store.heads(streams)).toEqual([0, 0]);
    },
    deadlineMs,
  );
}

function readContract(current: Current, newStream: NewStream): void {
  test(
    'reads forwards and backwards from a revision, up to the limit',
    async () => {
      const { store } = current();
      const stream = newStream();
      await store.append(
        stream,
        'none',
        Array.from({ length: 10 }, (_, n) => contractEvent(n)),
      );
      const revisions = async (options: Parameters<EventStore['read']>[1]) =>
        (await store.read(stream, options)).map(({ revision }) => revision);
      expect(await revisions({ limit: 3 })).toEqual([0, 1, 2]);
      expect(await revisions({ from: 8, limit: 5 })).toEqual([8, 9]);
      expect(await revisions({ from: 10, limit: 5 })).toEqual([]);
      expect(await revisions({ backwards: true, limit: 2 })).toEqual([9, 8]);
      expect(await revisions({ backwards: true, from: 1, limit: 5 })).toEqual([1, 0]);
      expect(await store.read(newStream(), { limit: 5 })).toEqual([]);
      expect(await store.read(newStream(), { backwards: true, limit: 5 })).toEqual([]);
    },
    deadlineMs,
  );

  test(
    'heads come in the order asked, none for streams without events',
    async () => {
      const { store } = current();
      const [one, missing, three] = [newStream(), newStream(), newStream()];
      await store.append(one, 'none', [contractEvent(1)]);
      await store.append(three, 'none', [contractEvent(1), contractEvent(2), contractEvent(3)]);
      expect(await store.heads([three, missing, one])).toEqual([2, 'none', 0]);
      expect(await store.heads([])).toEqual([]);
    },
    deadlineMs,
  );

  test(
    'the end is not before what was appended, and positions compare in log order across streams',
    async () => {
      const { store } = current();
      const a = await store.append(newStream(), 'none', [contractEvent(1)]);
      const b = await store.append(newStream(), 'none', [contractEvent(2)]);
      expect(a.position < b.position).toBe(true);
      expect((await store.end()) >= b.position).toBe(true);
    },
    deadlineMs,
  );
}

function truncateContract(current: Current, newStream: NewStream): void {
  test(
    'a truncated stream keeps what is not below, its head and its numbering',
    async () => {
      const { store } = current();
      const stream = newStream();
      await store.append(
        stream,
        'none',
        Array.from({ length: 6 }, (_, n) => contractEvent(n)),
      );
      await store.truncate(stream, 4);
      const left = (await store.read(stream, { from: 4, limit: 10 })).map(({ revision }) => revision);
      expect(left).toEqual([4, 5]);
      const fromStart = (await store.read(stream, { limit: 10 })).map(({ revision }) => revision);
      expect(fromStart.slice(-2)).toEqual([4, 5]);
      expect(await store.heads([stream])).toEqual([5]);
      expect((await store.append(stream, 5, [contractEvent(6)])).revision).toBe(6);
      await expect(store.append(stream, 'none', [contractEvent(7)])).rejects.toBeInstanceOf(RevisionConflict);
      await store.truncate(stream, 6);
      expect((await store.read(stream, { backwards: true, limit: 1 })).map(({ revision }) => revision)).toEqual([6]);
      await store.truncate(newStream(), 3);
    },
    deadlineMs,
  );
}

function reopenContract(current: Current, newStream: NewStream): void {
  test(
    'what was appended outlives the store, with its revisions, positions and idempotency',
    async () => {
      const opened = current();
      if (!opened.reopen) return;
      const stream = newStream();
      const events = [contractEvent(1), contractEvent(2)];
      const a = await opened.store.append(stream, 'none', events);
      const before = plain(await opened.store.read(stream, { limit: 10 }));
      opened.store = await opened.reopen();
      const { store } = opened;
      expect(plain(await store.read(stream, { limit: 10 }))).toEqual(before);
      expect(await store.append(stream, 'none', events)).toEqual(a);
      const later = await store.append(stream, 1, [contractEvent(3)]);
      expect(later.position > a.position).toBe(true);
      expect((await store.end()) >= later.position).toBe(true);
    },
    deadlineMs,
  );
}
