import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { StoreUnavailable, impliedPermissions, type Identity, type JsonObject, type ReadStore } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { MemoryReadStore } from '@aos/adapters/memory';
import type { AgentDirectory, TableDirectory } from '@aos/definitions/published';
import { eventsWorld, orgA, orgB, type EventsWorld } from '../testing/events.fixture.js';
import { SourceEventQueries, type EventPage } from './events.queries.js';
import type { FeedProjector } from './feed-projector.js';
import {
  buildCollection,
  cutCollection,
  feedCollection,
  organizationsCollection,
  retiredFeeds,
  type FeedRow,
} from './feed.projection.js';
import { Reaches } from './reach.js';

Logger.overrideLogger(false);

const ses = (n: number) => `ses_${String(n).padStart(26, '0')}`;
const dayMs = 24 * 60 * 60 * 1000;

const reader = (orgId: string, principalId = 'svc_1', permission = 'svc.resource.view'): Identity => ({
  orgId,
  principalId,
  kind: 'human',
  apiKeyId: null,
  permissions: impliedPermissions([permission]),
  roles: [],
  cap: null,
  requestId: 'r',
  ip: null,
});

/** Agents whose id names the one who sees them; everybody sees the others. */
const agents = {
  agent: async (_orgId: string, id: string) => ({ id }),
  canSee: ({ id }: { id: string }, who: Identity) => !id.startsWith('agent_private') || id.endsWith(who.principalId),
} as unknown as AgentDirectory;

/** As with agents. */
const tables = {
  canSee: async (who: Identity, id: string) => !id.startsWith('tbl_private') || id.endsWith(who.principalId),
} as unknown as TableDirectory;

/** No session was asked in. */
const askedIn = { isVisible: async () => false };

const projectors: FeedProjector[] = [];
afterEach(async () => {
  await Promise.all(projectors.splice(0).map((projector) => projector.close()));
});

async function project(world: EventsWorld, rows = world.readStore, retentionDays = 30): Promise<FeedProjector> {
  const projector = world.projector(rows, retentionDays);
  projectors.push(projector);
  projector.start();
  await caughtUp(world, projector);
  return projector;
}

async function caughtUp(world: EventsWorld, projector: FeedProjector): Promise<void> {
  const end = await world.store.end();
  await eventually('projected', async () => {
    world.clock.advance(1100);
    return projector.failure ?? (projector.position >= end || isShown(world, projector));
  });
  if (projector.failure !== null) throw projector.failure as Error;
}

/** The checkpoint follows only with rows or after a while; what counts is that the feed says it is whole. */
async function isShown(world: EventsWorld, projector: FeedProjector): Promise<boolean> {
  return (
    projector.position !== '' &&
    projector.position === (await world.readStore.checkpoint(feedCollection)) &&
    (await world.store.end()) === projector.position
  );
}

async function dump(readStore: ReadStore): Promise<string[]> {
  const lines: string[] = [];
  for (const collection of [feedCollection, cutCollection, organizationsCollection]) {
    for await (const row of readStore.dump(collection))
      if (row.doc !== null) lines.push(JSON.stringify([collection, row]));
  }
  return lines;
}

async function list(
  world: EventsWorld,
  who: Identity,
  page: EventPage = {},
  rows = world.readStore,
): Promise<{ items: JsonObject[]; has_more: boolean; next_cursor: string }> {
  const queries = new SourceEventQueries(
    rows,
    world.feed(rows),
    new Reaches(agents, tables, world.presentSessions(rows), askedIn, world.clock),
  );
  return (await queries.list(who, page)) as unknown as { items: JsonObject[]; has_more: boolean; next_cursor: string };
}

const messages = (items: readonly JsonObject[]) => items.map(({ event }) => (event as JsonObject).message_id);

describe('the feed', () => {
  it("gives an organization its events in recorded order, and nobody else's", async () => {
    const world = eventsWorld();
    await world.sessions.open(ses(1), orgA);
    await world.sessions.open(ses(2), orgB);
    for (let n = 0; n < 5; n += 1)
      for (const [id, org] of [
        [ses(1), orgA],
        [ses(2), orgB],
      ] as const)
        await world.sessions.say(id, org);
    await project(world);
    const { items, has_more, next_cursor } = await list(world, reader(orgA));
    expect(messages(items)).toEqual([1, 2, 3, 4, 5].map((n) => `msg_${ses(1)}${n}`));
    expect([has_more, typeof next_cursor]).toEqual([false, 'string']);
    expect((await list(world, reader('org_other'))).items).toEqual([]);
    const after = await list(world, reader(orgA), { cursor: next_cursor });
    expect(after).toMatchObject({ items: [], has_more: false, next_cursor });
  });

  it('is chained: every row names the place before it, whatever batch and process wrote it', async () => {
    const world = eventsWorld();
    await world.sessions.open(ses(1), orgA);
    await world.sessions.open(ses(2), orgB);
    for (let round = 0; round < 4; round += 1) {
      const projector = await project(world);
      for (let n = 0; n < 3; n += 1)
        for (const [id, org] of [
          [ses(1), orgA],
          [ses(2), orgB],
        ] as const)
          await world.sessions.say(id, org);
      await caughtUp(world, projector);
      await projector.close();
    }
    await project(world);
    for (const org of [orgA, orgB]) {
      const rows = await world.feed().after(org, '', 100);
      expect(rows).toHaveLength(12);
      expect(rows.map(({ previous }) => previous)).toEqual(['', ...rows.slice(0, -1).map(({ position }) => position)]);
    }
  });

  it('rebuilt from nothing equals the one that lived, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ session: fc.nat(4), days: fc.nat(9), restart: fc.boolean() }), {
          minLength: 1,
          maxLength: 30,
        }),
        async (steps) => {
          const world = eventsWorld();
          for (let n = 0; n < 5; n += 1) await world.sessions.open(ses(n), n % 2 === 0 ? orgA : orgB);
          let live = await project(world);
          for (const { session, days, restart } of steps) {
            world.clock.advance(days * dayMs);
            await world.sessions.say(ses(session), session % 2 === 0 ? orgA : orgB);
            await caughtUp(world, live);
            if (!restart) continue;
            await live.close();
            live = await project(world);
          }
          for (let sweep = 0; sweep < 3; sweep += 1) {
            world.clock.advance(10 * 60 * 1000);
            await new Promise((resolve) => {
              setImmediate(resolve);
            });
          }
          await eventually('cut', async () => (await dump(world.readStore)).every((line) => !isOld(line, world)));
          await live.close();
          const rebuilt = new MemoryReadStore();
          await (await project(world, rebuilt)).close();
          expect((await dump(rebuilt)).filter(isEvent)).toEqual((await dump(world.readStore)).filter(isEvent));
        },
      ),
      { numRuns: 15 },
    );
  });

  it('comes back to the same after its store lost everything, and says so meanwhile', async () => {
    const world = eventsWorld();
    await world.sessions.open(ses(1), orgA);
    await world.sessions.say(ses(1), orgA);
    const projector = await project(world);
    const before = await dump(world.readStore);
    for (const collection of [feedCollection, cutCollection, organizationsCollection, buildCollection])
      await world.readStore.drop(collection, feedCollection);
    await expect(list(world, reader(orgA))).rejects.toBeInstanceOf(StoreUnavailable);
    await world.sessions.say(ses(1), orgA);
    await eventually('built again', async () => {
      world.clock.advance(6000);
      return (await dump(world.readStore)).length === before.length + 1;
    });
    await eventually('whole', () =>
      list(world, reader(orgA)).then(
        ({ items }) => items.length === 2,
        () => false,
      ),
    );
    expect(projector.failure).toBeNull();
    expect((await dump(world.readStore)).slice(0, 1)).toEqual(before.slice(0, 1));
  });

  it('lets the rows of a version before go when its own are whole', async () => {
    const world = eventsWorld();
    const [before = ''] = retiredFeeds;
    const kept = async () =>
      (await world.readStore.checkpoint(before)) !== null || (await world.readStore.get(before, [orgA], '1')) !== null;
    await world.readStore.commit({
      projection: before,
      from: null,
      to: '1',
      rows: [{ collection: before, scope: [orgA], key: '1', revision: 1, doc: {}, index: {} }],
    });
    expect(await kept()).toBe(true);
    await world.sessions.open(ses(1), orgA);
    await world.sessions.say(ses(1), orgA);
    await project(world);
    await eventually('gone', async () => !(await kept()));
    expect((await list(world, reader(orgA))).items).toHaveLength(1);
  });

  it('comes back although nothing new happens', async () => {
    const world = eventsWorld();
    await world.sessions.open(ses(1), orgA);
    await world.sessions.say(ses(1), orgA);
    await project(world);
    const before = await dump(world.readStore);
    for (const collection of [feedCollection, cutCollection, organizationsCollection, buildCollection])
      await world.readStore.drop(collection, feedCollection);
    await eventually('built again', async () => {
      world.clock.advance(6000);
      return (await dump(world.readStore)).length === before.length;
    });
    await eventually('whole', () =>
      list(world, reader(orgA)).then(
        ({ items }) => items.length === 1,
        () => false,
      ),
    );
  });

  it('is whole again when the store lost only its last moments, in which it had become so', async () => {
    const world = eventsWorld();
    await world.sessions.open(ses(1), orgA);
    await world.sessions.say(ses(1), orgA);
    const put = world.readStore.put.bind(world.readStore);
    jest.spyOn(world.readStore, 'put').mockImplementation(async (rows) => {
      if (rows.some(({ doc }) => doc?.whole === true)) world.readStore.save();
      await put(rows);
    });
    await project(world);
    await eventually('whole', () =>
      list(world, reader(orgA)).then(
        ({ items }) => items.length === 1,
        () => false,
      ),
    );
    world.readStore.crash();
    await expect(list(world, reader(orgA))).rejects.toBeInstanceOf(StoreUnavailable);
    await eventually('whole again', async () => {
      world.clock.advance(6000);
      return list(world, reader(orgA)).then(
        ({ items }) => items.length === 1,
        () => false,
      );
    });
  });

  it('stays whole when it begins again before its own place and nothing was lost', async () => {
    const world = eventsWorld();
    const { readStore } = world;
    await world.sessions.open(ses(1), orgA);
    await world.sessions.say(ses(1), orgA);
    const projector = await project(world);
    const behind = projector.position;
    await world.sessions.say(ses(1), orgA);
    await caughtUp(world, projector);
    const takes = jest.spyOn(readStore, 'take').mockImplementation(async () => {
      // as a fleet's store, of which a part is behind
      await readStore.drop('none', feedCollection);
      await readStore.commit({ projection: feedCollection, from: null, to: behind, rows: [] });
      return behind;
    });
    const puts = jest.spyOn(readStore, 'put');
    readStore.save();
    readStore.crash();
    await eventually('it has begun again', () => {
      world.clock.advance(6000);
      return takes.mock.calls.length > 0;
    });
    await caughtUp(world, projector);
    expect(puts.mock.calls.flat(2).filter(({ doc }) => doc?.whole === false)).toEqual([]);
    expect((await list(world, reader(orgA))).items).toHaveLength(2);
  });

  it('stops loudly at an event that cannot be published', async () => {
    const world = eventsWorld();
    await world.sessions.open(ses(1), orgA);
    await world.sessions.append(ses(1), orgA, 'NeverHeardOf', {});
    await world.sessions.say(ses(1), orgA);
    const projector = world.projector();
    projectors.push(projector);
    projector.start();
    await eventually('stopped', () => projector.failure !== null);
    expect(await world.feed().after(orgA, '', 10)).toEqual([]);
  });
});

function isEvent(line: string): boolean {
  return line.startsWith(`["${feedCollection}"`);
}

function isOld(line: string, world: EventsWorld): boolean {
  const [, { doc }] = JSON.parse(line) as [string, { doc: unknown }];
  return isEvent(line) && Date.parse((doc as FeedRow).received_at) < world.clock.now() - 30 * dayMs;
}

describe('pages', () => {
  async function tenMessages(): Promise<EventsWorld> {
    const world = eventsWorld();
    await world.sessions.open(ses(1), orgA);
    await world.sessions.open(ses(2), orgA);
    for (let n = 0; n < 5; n += 1)
      for (const id of [ses(1), ses(2)]) {
        await world.sessions.say(id, orgA);
        world.clock.advance(1000);
      }
    await project(world);
    return world;
  }

  it('walk forwards and backwards without loss, whatever their size', async () => {
    const world = await tenMessages();
    const all = messages((await list(world, reader(orgA))).items);
    expect(all).toHaveLength(10);
    for (const limit of [1, 3, 10]) {
      const forwards: unknown[] = [];
      for (let cursor: string | undefined, more = true; more;) {
        const page = await list(world, reader(orgA), { limit, ...(cursor === undefined ? {} : { cursor }) });
        forwards.push(...messages(page.items));
        [cursor, more] = [page.next_cursor, page.has_more];
      }
      expect(forwards).toEqual(all);
      const backwards: unknown[] = [];
      for (let cursor: string | undefined, more = true; more;) {
        const page = await list(world, reader(orgA), {
          limit,
          order: 'desc',
          ...(cursor === undefined ? {} : { cursor }),
        });
        backwards.unshift(...messages(page.items));
        [cursor, more] = [page.next_cursor, page.has_more];
      }
      expect(backwards).toEqual(all);
    }
  });

  it('hold what is asked for', async () => {
    const world = await tenMessages();
    const count = async (page: EventPage) => (await list(world, reader(orgA), page)).items.length;
    expect(await count({ source_id: ses(1) })).toBe(5);
    expect(await count({ source_kind: 'interaction' })).toBe(0);
    expect(await count({ event_type: ['session.*'] })).toBe(10);
    expect(await count({ event_type: ['session.message.created', 'interaction.*'] })).toBe(10);
    expect(await count({ event_type: ['session.message'] })).toBe(0);
    expect(await count({ event_type: ['*'] })).toBe(0);
    expect(await count({ since: new Date(Date.parse('2026-01-01T00:00:06.000Z')).toISOString() })).toBe(4);
  });

  it('refuse cursors of others, and places that are no longer kept', async () => {
    const world = await tenMessages();
    const { next_cursor: cursor } = await list(world, reader(orgA), { limit: 2 });
    await expect(list(world, reader(orgB), { cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
    await expect(list(world, reader(orgA), { cursor: `${cursor}x` })).rejects.toMatchObject({ code: 'invalid_cursor' });
    await expect(list(world, reader(orgA), { cursor, order: 'desc' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    });
    world.clock.advance(31 * dayMs);
    await eventually('cut', async () => {
      world.clock.advance(10 * 60 * 1000);
      return (await list(world, reader(orgA))).items.length === 0;
    });
    await expect(list(world, reader(orgA), { cursor })).rejects.toMatchObject({ code: 'cursor_expired' });
    const { next_cursor: now } = await list(world, reader(orgA));
    expect((await list(world, reader(orgA), { cursor: now })).next_cursor).toBe(now);
  });

  it('skip what is out of reach: private sessions of others, private agents even for administrators', async () => {
    const world = eventsWorld();
    const owner = { kind: 'person' as const, id: 'user_1' };
    await world.sessions.open(ses(1), orgA, { visibility: 'private', owner });
    await world.sessions.open(ses(2), orgA, { agent_id: 'agent_private_user_1' });
    await world.sessions.open(ses(3), orgA);
    for (const n of [1, 2, 3]) await world.sessions.say(ses(n), orgA);
    await project(world);
    const seen = async (who: Identity) => (await list(world, who)).items.map(({ source_id }) => source_id);
    expect(await seen(reader(orgA, 'user_1'))).toEqual([ses(1), ses(2), ses(3)]);
    expect(await seen(reader(orgA, 'user_2'))).toEqual([ses(3)]);
    expect(await seen(reader(orgA, 'user_2', 'svc.org.admin'))).toEqual([ses(1), ses(3)]);
  });

  it('rule E19: pass over the messages of a session that is deleted or past its time, whatever its row still says', async () => {
    const world = eventsWorld();
    await world.sessions.open(ses(1), orgA);
    await world.sessions.open(ses(2), orgA, { retention: { mode: 'bounded', ttl_seconds: 3600 } });
    await world.sessions.open(ses(3), orgA);
    for (const n of [1, 2, 3]) await world.sessions.say(ses(n), orgA);
    await project(world);
    const seen = async () => (await list(world, reader(orgA))).items.map(({ source_id }) => source_id);
    expect(await seen()).toEqual([ses(1), ses(2), ses(3)]);
    const first = await list(world, reader(orgA), { limit: 1 });
    await world.sessions.append(ses(1), orgA, 'SessionDeleted', { at: '2026-01-01T00:00:02.000Z' });
    expect(await seen()).toEqual([ses(2), ses(3)]);
    world.clock.advance(2 * 3600 * 1000);
    expect(await seen()).toEqual([ses(3)]);
    const after = await list(world, reader(orgA), { cursor: first.next_cursor, limit: 1 });
    expect(after.items.map(({ source_id }) => source_id)).toEqual([ses(3)]);
    expect((await list(world, reader(orgA), { cursor: after.next_cursor })).items).toEqual([]);
  });
});
