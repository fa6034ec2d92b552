import { Logger } from '@nestjs/common';
import type { JsonObject, ReadStore } from '@aos/kernel';
import { eventually, whileTimePasses } from '@aos/kernel/testing';
import { MemoryReadStore } from '@aos/adapters/memory';
import { OrderedRebuild, type Compared } from '@aos/platform';
import { eventsWorld, orgA, orgB, type EventsWorld } from '../testing/events.fixture.js';
import {
  cutCollection,
  feedCollection,
  goneRow,
  organizationsCollection,
  typesCollection,
  type FeedRow,
} from './feed.projection.js';
import type { FeedProjector } from './feed-projector.js';

Logger.overrideLogger(false);

const dayMs = 24 * 60 * 60 * 1000;
const ses = (n: number) => `ses_${String(n).padStart(26, '0')}`;

const projectors: FeedProjector[] = [];
afterEach(async () => {
  await Promise.all(projectors.splice(0).map((projector) => projector.close()));
});

/** Two organizations' sessions with some messages, and their feed. */
async function told(messages = 3) {
  const world = eventsWorld();
  await world.sessions.open(ses(1), orgA);
  await world.sessions.open(ses(2), orgB);
  for (let n = 0; n < messages; n += 1)
    for (const [id, org] of [
      [ses(1), orgA],
      [ses(2), orgB],
    ] as const)
      await world.sessions.say(id, org);
  const projector = world.projector();
  projectors.push(projector);
  projector.start();
  await projected(world, projector);
  return { world, projector };
}

async function projected(world: EventsWorld, projector: FeedProjector): Promise<void> {
  const end = await world.store.end();
  await eventually('projected', () => projector.position >= end);
}

function checked(
  world: EventsWorld,
  { ordered }: FeedProjector,
  readStore: ReadStore = world.readStore,
): Promise<Compared[]> {
  return whileTimePasses(
    world.clock,
    500,
    new OrderedRebuild({ store: world.store, readStore, clock: world.clock }, ordered).run(),
  );
}

async function rowsOf(world: EventsWorld, org: string): Promise<FeedRow[]> {
  return world.feed().after(org, '', 100);
}

describe('a check of the feed', () => {
  it('gives the same hashes for a feed that is what the log says, and leaves nothing behind', async () => {
    const { world, projector } = await told();
    expect(await checked(world, projector)).toMatchObject([
      { collection: feedCollection, rows: 6, matches: true, differences: [] },
      { collection: organizationsCollection, rows: 2, matches: true },
    ]);
    for (const name of [feedCollection, cutCollection, organizationsCollection, typesCollection]) {
      for await (const row of world.readStore.dump(`${name}~ordered`)) throw new Error(`${row.key} was left`);
    }
  });

  it('names rows that were changed, removed or left over, also of organizations', async () => {
    const { world, projector } = await told();
    const [first, second] = (await rowsOf(world, orgA)) as [FeedRow, FeedRow];
    const place = { collection: feedCollection, scope: [orgA], index: {} };
    await world.readStore.put([
      { ...place, key: first.position, revision: 2, doc: { ...first, previous: 'elsewhere' } as unknown as JsonObject },
      goneRow(orgA, second.position),
      {
        ...place,
        key: `${second.position}.0001`,
        revision: 1,
        doc: { ...second, position: `${second.position}.0001` } as unknown as JsonObject,
      },
      { collection: organizationsCollection, scope: ['-'], key: 'org_x', revision: 1, doc: {}, index: {} },
    ]);
    const [feed, organizations] = await checked(world, projector);
    expect(feed).toMatchObject({
      matches: false,
      differences: [
        { scope: orgA, key: first.position, what: 'different' },
        { scope: orgA, key: second.position, what: 'missing' },
        { scope: orgA, key: `${second.position}.0001`, what: 'left over' },
      ],
    });
    expect(feed?.hash).not.toBe(feed?.rebuilt_hash);
    expect(organizations).toMatchObject({ matches: false, differences: [{ key: 'org_x', what: 'left over' }] });
  });

  it('finds no difference in what is too old, whether it has left or not, nor in what was cut when less was kept', async () => {
    const { world, projector } = await told();
    world.clock.advance(9 * 60 * 1000);
    await projector.close();
    world.clock.advance(31 * dayMs);
    await world.sessions.say(ses(1), orgA);
    const again = world.projector();
    projectors.push(again);
    again.start();
    await projected(world, again);
    expect(await rowsOf(world, orgA)).toHaveLength(4);
    expect(await checked(world, again)).toMatchObject([
      { collection: feedCollection, rows: 1, matches: true },
      { matches: true },
    ]);
    await eventually('cut', async () => {
      world.clock.advance(10 * 60 * 1000);
      return (await rowsOf(world, orgA)).length === 1 && (await rowsOf(world, orgB)).length === 0;
    });
    expect(await checked(world, again)).toMatchObject([
      { collection: feedCollection, rows: 1, matches: true },
      { matches: true },
    ]);
    expect(await checked(world, world.projector(world.readStore, 90))).toMatchObject([
      { collection: feedCollection, rows: 1, matches: true },
      { matches: true },
    ]);
  });

  it('stays true while events are told', async () => {
    const { world, projector } = await told();
    let more = 0;
    /** A feed that goes on between the checkpoint and the rows of every look. */
    const moving = Object.assign(Object.create(world.readStore) as MemoryReadStore, {
      async *dump(name: string) {
        if (name === feedCollection || name === organizationsCollection) {
          more += 1;
          await world.sessions.say(ses(1), orgA);
          await projected(world, projector);
        }
        yield* world.readStore.dump(name);
      },
    });
    const compared = await checked(world, projector, moving);
    expect(compared).toMatchObject([
      { collection: feedCollection, rows: 6, matches: true },
      { collection: organizationsCollection, rows: 2, matches: true },
    ]);
    expect(more).toBe(2);
    expect(await rowsOf(world, orgA)).toHaveLength(5);
  });

  it('does not judge a feed that is being built again', async () => {
    const { world, projector } = await told();
    await projector.close();
    await world.readStore.drop(feedCollection, feedCollection);
    await expect(checked(world, projector)).rejects.toThrow('is being built again');
  });
});
