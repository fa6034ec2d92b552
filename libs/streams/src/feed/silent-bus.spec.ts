import { StoreUnavailable } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { liveChannel } from '@aos/sessions/published';
import { History, Streaming } from '../testing/history.fixture.js';
import { sessionId, streamsWorld } from '../testing/streams.fixture.js';
import { headCheckUnhealthyMs, subscribeMs } from './stream.limits.js';

describe('a stream that begins while the bus does not answer', () => {
  /** The bus keeps every subscription waiting until `answer` is called. */
  async function silent() {
    const world = streamsWorld();
    const history = new History();
    await world.append(...history.opened(), ...history.queued());
    await world.append(...history.claimed());
    let answer: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => (answer = resolve));
    const subscribe = world.bus.subscribe.bind(world.bus);
    jest.spyOn(world.bus, 'subscribe').mockImplementation((...asked) => ({ ...subscribe(...asked), ready }));
    const following = world.watch({ protocol: 'v2', after: -1 });
    await eventually('the subscriptions', () => world.clock.pendingTimers > 0);
    return { world, history, answer, following };
  }

  test('invariant 38: shows what the log has, and what comes', async () => {
    const { world, history, following } = await silent();
    world.bus.setHealthy(false);
    world.clock.advance(subscribeMs);
    const { sink } = await following;
    await eventually('history', () => sink.raw.includes('stream.ready'));
    await world.append(...history.said('Hello'), ...history.ended());
    await eventually('the end', () => {
      world.clock.advance(headCheckUnhealthyMs);
      return sink.ended;
    });
    expect(sink.raw).toContain('Hello');
  });

  test('invariant 38: shows the log also while a call is open, whose progress cannot be read', async () => {
    const world = streamsWorld();
    const history = new History();
    await world.append(...history.opened(), ...history.queued());
    await world.append(...history.claimed());
    await world.append(...history.called('a'));
    jest.spyOn(world.bus, 'preview').mockRejectedValue(new StoreUnavailable('gone for now'));
    const { sink } = await world.watch({ protocol: 'v2', after: -1 });
    await eventually('history', () => sink.raw.includes('stream.ready'));
  });

  test('says that it is there, and shows what is said to it, once the bus answers', async () => {
    const { world, history, answer, following } = await silent();
    world.clock.advance(subscribeMs);
    const { sink } = await following;
    await world.append(...history.called('a'));
    const says = jest.spyOn(world.bus, 'publish');
    answer();
    await eventually('the word', () => says.mock.calls.some(([, message]) => message === 'watched'));
    liveChannel.publish(world.bus, sessionId, new Streaming(history.turnId, history).started());
    await eventually('the row', () => sink.raw.includes('"streaming"'));
  });

  test('does not go on waiting for a bus that answers at once', async () => {
    const { world, answer, following } = await silent();
    answer();
    const { sink } = await following;
    await eventually('history', () => sink.raw.includes('stream.ready'));
    expect(world.clock.nextTimerAt ?? Infinity).toBeGreaterThan(world.clock.monotonic() + subscribeMs);
  });

  test('does nothing for a stream that is over by then', async () => {
    const { world, answer, following } = await silent();
    world.clock.advance(subscribeMs);
    (await following).leave();
    const says = jest.spyOn(world.bus, 'publish');
    answer();
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(says).not.toHaveBeenCalled();
  });
});
