import type { Json } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { watchKey } from '@aos/sessions/published';
import { History } from '../testing/history.fixture.js';
import { sessionId, streamsWorld, type StreamsWorld } from '../testing/streams.fixture.js';

const settled = () => new Promise(setImmediate);

/** A world with an open turn, and what is said on the session's channel. */
async function announcingWorld(): Promise<{ world: StreamsWorld; words: Json[]; isKept: () => Promise<boolean> }> {
  const world = streamsWorld();
  const history = new History();
  await world.append(...history.opened(), ...history.queued());
  await settled();
  const words: Json[] = [];
  world.bus.subscribe(`ring:session-${sessionId}`, (message) => words.push(message));
  return { world, words, isKept: async () => (await world.bus.preview(watchKey(sessionId))).size > 0 };
}

/** Time passes as it does, so that what falls due in between is done in its turn. */
async function pass(world: StreamsWorld, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    world.clock.advance(1_000);
    await settled();
  }
}

describe('TP30: a session that is followed', () => {
  test('is announced by a key that others find and a word that they hear, once for all its viewers', async () => {
    const { world, words, isKept } = await announcingWorld();
    expect(await isKept()).toBe(false);
    await world.watch({ protocol: 'v2', after: -1 });
    await world.watch({ protocol: 'v1', after: -1 });
    await eventually('the word', () => words.length > 0);
    expect(words).toEqual(['watched']);
    expect(await isKept()).toBe(true);
  });

  test('keeps its key while it has viewers, written every ten seconds, and loses it 30 s later', async () => {
    const { world, words, isKept } = await announcingWorld();
    const setPreview = jest.spyOn(world.bus, 'setPreview');
    const { leave } = await world.watch({ protocol: 'v2', after: -1 });
    await pass(world, 65);
    expect(setPreview.mock.calls.length).toBeGreaterThanOrEqual(6);
    expect(setPreview.mock.calls.length).toBeLessThanOrEqual(8);
    expect(words).toEqual(['watched']);
    expect(await isKept()).toBe(true);
    leave();
    await pass(world, 31);
    expect(await isKept()).toBe(false);
  });

  test('is not announced by a request that starts its turn here; others find the key a second later', async () => {
    const { world, words, isKept } = await announcingWorld();
    world.watches.expect(sessionId);
    await world.watch({ protocol: 'v1', after: -1 });
    await settled();
    expect([words, await isKept()]).toEqual([[], false]);
    await pass(world, 1);
    expect([words, await isKept()]).toEqual([[], true]);
  });

  test('is announced at once when the bus is whole again, and again until the key is kept', async () => {
    const { world, words } = await announcingWorld();
    await world.watch({ protocol: 'v2', after: -1 });
    await eventually('the word', () => words.length === 1);
    world.bus.setHealthy(false);
    world.bus.setHealthy(true);
    await settled();
    expect(words).toEqual(['watched', 'watched']);
    world.bus.setHealthy(false);
    world.bus.setHealthy(true);
    await settled();
    const setPreview = jest.spyOn(world.bus, 'setPreview').mockRejectedValueOnce(new Error('not reached'));
    await pass(world, 12);
    expect(setPreview.mock.calls.length).toBeGreaterThanOrEqual(2);
    const [failed, again] = setPreview.mock.calls;
    expect([failed?.[0], again?.[0]]).toEqual([watchKey(sessionId), watchKey(sessionId)]);
  });
});
