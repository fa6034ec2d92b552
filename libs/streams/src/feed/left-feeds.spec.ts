import { bytesGrownOld } from '@aos/kernel/testing';
import { History } from '../testing/history.fixture.js';
import { TestSink, reader, sessionId, streamsWorld } from '../testing/streams.fixture.js';

const rounds = 80;
const weight = 8192;
const bytesOf = weight * 8;

test('a feed that its last reader left goes with the young generation', async () => {
  const world = streamsWorld();
  await world.append(...new History().opened());
  const grown = await bytesGrownOld(rounds, async (round) => {
    const watcher = await world.feeds.use(sessionId, (feed) => {
      Object.assign(feed, { weight: new Array(weight).fill(round) });
      const sink = new TestSink();
      return world.feeds.view(feed, { protocol: 'v1', after: -1, sink, who: reader, mayRead: async () => true });
    });
    world.feeds.leave(watcher);
  });
  expect(grown / bytesOf).toBeLessThan(rounds / 4);
});
