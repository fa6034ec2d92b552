import { Channel, type Json } from '@aos/kernel';
import { eventually, ManualClock } from '@aos/kernel/testing';
import { MemoryLiveBus } from './memory-live-bus.js';

interface Said {
  said: string;
}

const rooms = new Channel<Said>((id) => `room:${id}`);

describe('Channel', () => {
  const bus = new MemoryLiveBus({
    clock: new ManualClock(),
    onTrouble: (error) => {
      throw error;
    },
  });

  it('gives subscribers of an id what is published for it, on the channel of that name', async () => {
    const [typed, raw]: [Said[], Json[]] = [[], []];
    rooms.subscribe(bus, 'a', (message) => typed.push(message));
    bus.subscribe('room:a', (message) => raw.push(message));
    rooms.publish(bus, 'b', { said: 'elsewhere' });
    rooms.publish(bus, 'a', { said: 'one' });
    await rooms.deliver(bus, 'a', { said: 'two' });
    await eventually('both messages', () => typed.length === 2 && raw.length === 2);
    expect(typed).toEqual([{ said: 'one' }, { said: 'two' }]);
    expect(raw).toEqual(typed);
  });

  it('passes over what is no object, and ends when it is closed', async () => {
    const seen: Said[] = [];
    const subscription = rooms.subscribe(bus, 'c', (message) => seen.push(message));
    for (const message of ['text', 1, null, [{ said: 'in a list' }], { said: 'one' }]) bus.publish('room:c', message);
    await eventually('the object', () => seen.length > 0);
    subscription.close();
    await rooms.deliver(bus, 'c', { said: 'two' });
    expect(seen).toEqual([{ said: 'one' }]);
  });
});
