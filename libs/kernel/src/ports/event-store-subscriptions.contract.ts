import { randomUUID } from 'node:crypto';
import { eventually, uniqueName } from '../testing/eventually.js';
import { plain } from '../testing/recorded.js';
import { Stop, type EventStore, type NewEvent, type RecordedEvent, type SubscribeOptions } from './event-store.js';

const deadlineMs = 180_000;

function event(n: number): NewEvent {
  return { id: randomUUID(), type: 'ThingHappened', data: { n }, meta: { org_id: 'org_1' } };
}

/** Collects what a subscription gives. */
function collect(store: EventStore, options: Partial<SubscribeOptions> & { prefixes: readonly string[] }) {
  const seen: RecordedEvent[] = [];
  const batches: number[] = [];
  const subscription = store.subscribe({ name: 'contract', from: 'start', ...options }, async (events) => {
    batches.push(events.length);
    seen.push(...events);
  });
  return { seen, batches, subscription, numbers: () => seen.map(({ data }) => data['n']) };
}

async function appendNumbers(store: EventStore, stream: string, from: number, count: number): Promise<string[]> {
  const positions: string[] = [];
  for (let n = from; n < from + count; n += 1)
    positions.push((await store.append(stream, n === 0 ? 'none' : n - 1, [event(n)])).position);
  return positions;
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

/** The part of the EventStore port's suite that is about subscriptions. */
export function subscriptionContract(current: () => { store: EventStore }): void {
  deliveryContract(current);
  faultContract(current);
}

function deliveryContract(current: () => { store: EventStore }): void {
  test(
    'a subscription replays, then stays live, in log order and without a gap while appends go on',
    async () => {
      const { store } = current();
      const category = uniqueName('sub');
      const streams = upTo(8).map((n) => `${category}-${n}`);
      await Promise.all(streams.map((stream) => appendNumbers(store, stream, 0, 20)));
      const storm = Promise.all(streams.map((stream) => appendNumbers(store, stream, 20, 20)));
      const all = collect(store, { prefixes: [`${category}-`] });
      const one = collect(store, { prefixes: [`${category}-3`] });
      await storm;
      await Promise.all(streams.map((stream) => appendNumbers(store, stream, 40, 5)));
      await eventually('every event arrives', () => all.seen.length >= 8 * 45 && one.seen.length >= 45);
      await Promise.all([all.subscription.close(), one.subscription.close()]);
      const positions = all.seen.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort());
      for (const stream of streams)
        expect(all.seen.filter((seen) => seen.stream === stream).map(({ revision }) => revision)).toEqual(upTo(45));
      expect(one.numbers()).toEqual(upTo(45));
      const stored = await store.read(streams[3]!, { limit: 100 });
      expect(plain(one.seen)).toEqual(plain(stored));
    },
    deadlineMs,
  );

  test(
    'an idle subscription misses nothing of its own among what is not for it',
    async () => {
      const { store } = current();
      const category = uniqueName('sparse');
      const rare = collect(store, { prefixes: [`${category}-`] });
      const rounds = 150;
      const noise = upTo(4).map((n) => `${uniqueName('noise')}-${n}`);
      for (let round = 0; round < rounds; round += 1) {
        const others = noise.map((stream) => appendNumbers(store, stream, round * 2, 2));
        const own =
          round % 3 === 0
            ? Promise.resolve()
            : new Promise<void>((resolve) => {
                setImmediate(resolve);
              });
        await Promise.all([...others, own.then(() => appendNumbers(store, `${category}-1`, round, 1))]);
      }
      await eventually('every event arrives', () => rare.seen.length >= rounds);
      await rare.subscription.close();
      expect(rare.numbers()).toEqual(upTo(rounds));
    },
    deadlineMs,
  );

  test(
    'from a position it gives what comes after it; from the end what comes from now on',
    async () => {
      const { store } = current();
      const stream = `${uniqueName('sub')}-1`;
      const positions = await appendNumbers(store, stream, 0, 6);
      const after = collect(store, { prefixes: [stream], from: positions[3]! });
      let live = false;
      const fresh = collect(store, {
        prefixes: [stream],
        from: 'end',
        onCaughtUp: () => {
          live = true;
        },
      });
      await eventually('the second one is live', () => live);
      await appendNumbers(store, stream, 6, 2);
      await eventually('both get the new ones', () => after.seen.length >= 4 && fresh.seen.length >= 2);
      expect(after.numbers()).toEqual([4, 5, 6, 7]);
      expect(fresh.numbers()).toEqual([6, 7]);
      await Promise.all([after.subscription.close(), fresh.subscription.close()]);
    },
    deadlineMs,
  );

  test(
    'several prefixes are one ordered subscription, and other streams are left out',
    async () => {
      const { store } = current();
      const [a, b, c] = [`${uniqueName('sub')}-`, `${uniqueName('sub')}-`, `${uniqueName('sub')}-`];
      const positions: string[] = [];
      for (const n of upTo(5)) {
        for (const prefix of [a, b, c]) {
          const { position } = await store.append(`${prefix}1`, n === 0 ? 'none' : n - 1, [event(n)]);
          if (prefix !== c) positions.push(position);
        }
      }
      const both = collect(store, { prefixes: [a, b] });
      await eventually('ten events', () => both.seen.length >= 10);
      expect(both.seen.map(({ position }) => position)).toEqual(positions);
      await both.subscription.close();
    },
    deadlineMs,
  );

  test(
    'the handler of a batch ends before the next begins, and a batch keeps to its limit',
    async () => {
      const { store } = current();
      const stream = `${uniqueName('sub')}-1`;
      await store.append(stream, 'none', upTo(50).map(event));
      let running = 0;
      let overlapped = false;
      const sizes: number[] = [];
      const subscription = store.subscribe(
        { name: 'contract', prefixes: [stream], from: 'start', batchMax: 7 },
        async (events) => {
          running += 1;
          overlapped ||= running > 1;
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
          sizes.push(events.length);
          running -= 1;
        },
      );
      await eventually('all events', () => sizes.reduce((sum, size) => sum + size, 0) >= 50);
      await subscription.close();
      expect(overlapped).toBe(false);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(7);
    },
    deadlineMs,
  );

  test(
    'it tells when it caught up, and where it looked although nothing matched',
    async () => {
      const { store } = current();
      const prefix = `${uniqueName('sub')}-`;
      const looked: string[] = [];
      let caughtUp = 0;
      const quiet = collect(store, {
        prefixes: [prefix],
        from: 'end',
        onCaughtUp: () => {
          caughtUp += 1;
        },
        onPosition: (position) => {
          looked.push(position);
        },
      });
      await eventually('caught up', () => caughtUp > 0);
      const other = `${uniqueName('sub')}-1`;
      let n = 0;
      const first = (await appendNumbers(store, other, n, 1))[0]!;
      await eventually("a position at or past the other stream's event", async () => {
        if ((looked.at(-1) ?? '') >= first) return true;
        n += 1;
        await appendNumbers(store, other, n, 1); // a store may look only as new events come
        return false;
      });
      expect(looked).toEqual([...looked].sort());
      expect(quiet.seen).toEqual([]);
      await quiet.subscription.close();
    },
    deadlineMs,
  );
}

function faultContract(current: () => { store: EventStore }): void {
  test(
    'what the handler threw is given again, and then the rest',
    async () => {
      const { store } = current();
      const stream = `${uniqueName('sub')}-1`;
      await appendNumbers(store, stream, 0, 5);
      const seen: unknown[] = [];
      const troubles: unknown[] = [];
      let failures = 2;
      const fault = new Error('the handler broke');
      const subscription = store.subscribe(
        {
          name: 'contract',
          prefixes: [stream],
          from: 'start',
          batchMax: 2,
          onTrouble: (error) => {
            troubles.push(error);
          },
        },
        async (events) => {
          if (seen.length >= 2 && failures > 0) {
            failures -= 1;
            throw fault;
          }
          seen.push(...events.map(({ data }) => data['n']));
        },
      );
      await eventually('all events', () => seen.length >= 5);
      await subscription.close();
      expect(seen).toEqual([0, 1, 2, 3, 4]);
      expect(troubles).toEqual([fault, fault]);
    },
    deadlineMs,
  );

  test(
    'Stop ends it for good',
    async () => {
      const { store } = current();
      const stream = `${uniqueName('sub')}-1`;
      await appendNumbers(store, stream, 0, 2);
      let calls = 0;
      const stop = new Stop('a poison event');
      const subscription = store.subscribe({ name: 'contract', prefixes: [stream], from: 'start' }, async () => {
        calls += 1;
        throw stop;
      });
      await expect(subscription.ended).rejects.toBe(stop);
      await appendNumbers(store, stream, 2, 2);
      await subscription.close();
      expect(calls).toBe(1);
    },
    deadlineMs,
  );

  test(
    'close waits for the handler that runs, and nothing comes after it',
    async () => {
      const { store } = current();
      const stream = `${uniqueName('sub')}-1`;
      await appendNumbers(store, stream, 0, 4);
      let begun = false;
      let ended = 0;
      let release: () => void = () => undefined;
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      const subscription = store.subscribe(
        { name: 'contract', prefixes: [stream], from: 'start', batchMax: 1 },
        async () => {
          begun = true;
          await gate;
          ended += 1;
        },
      );
      await eventually('the handler runs', () => begun);
      let closed = false;
      const closing = subscription.close().then(() => {
        closed = true;
      });
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(closed).toBe(false);
      release();
      await closing;
      await subscription.ended;
      expect(ended).toBe(1);
      await appendNumbers(store, stream, 4, 1);
      expect(ended).toBe(1);
    },
    deadlineMs,
  );
}
