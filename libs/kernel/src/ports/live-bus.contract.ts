import type { Json } from '../json.js';
import { eventually, uniqueName } from '../testing/eventually.js';
import type { LiveBus } from './live-bus.js';

export interface OpenedLiveBus {
  bus: LiveBus;
  /** Another process's end of the same bus; the same object where there is only one process. */
  peer: LiveBus;
  close(): Promise<void>;
}

const deadlineMs = 180_000;

/** The LiveBus port's suite. Takes how an adapter is opened, on a real clock; every test uses channels of its own. */
export function liveBusContract(name: string, open: () => Promise<OpenedLiveBus>): void {
  describe(`LiveBus: ${name}`, () => {
    let opened: OpenedLiveBus;
    beforeAll(async () => {
      opened = await open();
    }, deadlineMs);
    afterAll(async () => {
      await opened.close();
    }, deadlineMs);

    test(
      'every subscriber of the channel gets each message, in order; other channels get none',
      async () => {
        const { bus, peer } = opened;
        const channel = uniqueName('live:');
        const [here, there, other]: [Json[], Json[], Json[]] = [[], [], []];
        const subscriptions = [
          bus.subscribe(channel, (message) => {
            here.push(message);
          }),
          peer.subscribe(channel, (message) => {
            there.push(message);
          }),
          peer.subscribe(uniqueName('live:'), (message) => {
            other.push(message);
          }),
        ];
        await Promise.all(subscriptions.map(({ ready }) => ready));
        const messages = Array.from({ length: 100 }, (_, n) => ({ n, text: 'ä€😀' }));
        for (const message of messages) bus.publish(channel, message);
        await eventually('all messages', () => here.length >= 100 && there.length >= 100);
        expect(here).toEqual(messages);
        expect(there).toEqual(messages);
        expect(other).toEqual([]);
        for (const subscription of subscriptions) subscription.close();
      },
      deadlineMs,
    );

    test(
      'what is delivered has come to every process before whatever is begun then',
      async () => {
        const { bus, peer } = opened;
        const channel = uniqueName('live:');
        const seen: Json[] = [];
        const subscription = peer.subscribe(channel, (message) => {
          seen.push(message);
        });
        await subscription.ready;
        for (let count = 1; count <= 100; count += 1) {
          await bus.deliver(channel, count);
          await peer.preview(channel); // something that reaches the other process later
          expect(seen).toHaveLength(count);
        }
        subscription.close();
      },
      deadlineMs,
    );

    test(
      'a handler that throws disturbs neither the publisher nor others',
      async () => {
        const { bus, peer } = opened;
        const channel = uniqueName('live:');
        const seen: Json[] = [];
        const subscriptions = [
          peer.subscribe(channel, () => {
            throw new Error('the handler broke');
          }),
          peer.subscribe(channel, (message) => {
            seen.push(message);
          }),
        ];
        await Promise.all(subscriptions.map(({ ready }) => ready));
        bus.publish(channel, 1);
        bus.publish(channel, 'two');
        bus.publish(channel, null);
        await eventually('all messages', () => seen.length >= 3);
        expect(seen).toEqual([1, 'two', null]);
        for (const subscription of subscriptions) subscription.close();
      },
      deadlineMs,
    );

    test(
      'after close nothing arrives, and others of the channel go on',
      async () => {
        const { bus, peer } = opened;
        const channel = uniqueName('live:');
        const [closed, open]: [Json[], Json[]] = [[], []];
        const first = peer.subscribe(channel, (message) => {
          closed.push(message);
        });
        const second = peer.subscribe(channel, (message) => {
          open.push(message);
        });
        await Promise.all([first.ready, second.ready]);
        first.close();
        bus.publish(channel, 1);
        await eventually('the message', () => open.length >= 1);
        expect(closed).toEqual([]);
        second.close();
      },
      deadlineMs,
    );

    test(
      'a preview is a hash of texts that late joiners read, and that ends by itself',
      async () => {
        const { bus, peer } = opened;
        const [key, brief] = [uniqueName('preview:'), uniqueName('preview:')];
        expect(await peer.preview(key)).toEqual(new Map());
        await bus.setPreview(key, 'block:0', 'Hel', 60_000);
        await bus.setPreview(key, 'block:0', 'Hello', 60_000);
        await bus.setPreview(key, 'block:1', 'wörld', 60_000);
        expect(await peer.preview(key)).toEqual(
          new Map([
            ['block:0', 'Hello'],
            ['block:1', 'wörld'],
          ]),
        );
        await bus.dropPreview(key, 'block:0');
        await bus.dropPreview(key, 'block:7');
        expect(await peer.preview(key)).toEqual(new Map([['block:1', 'wörld']]));
        await bus.dropPreview(key);
        expect(await peer.preview(key)).toEqual(new Map());
        await bus.setPreview(brief, 'a', 'b', 40);
        await eventually('it ends', async () => (await peer.preview(brief)).size === 0);
        expect(bus.healthy && peer.healthy).toBe(true);
      },
      deadlineMs,
    );
  });
}
