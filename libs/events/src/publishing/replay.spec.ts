import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { canonicalJson, type NewEvent } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { feedStart } from '../feed/feed.projection.js';
import { sourceTopic } from '../relay/records.js';
import { sourceRelay } from '../relay/source-relay.js';
import { eventsWorld, orgA, orgB, type EventsWorld } from '../testing/events.fixture.js';

Logger.overrideLogger(false);

const topic = sourceTopic('svc').topic;
const folder = join(__dirname, 'golden');
/** The recorded examples, each in a stream of its own and with ids of its own. */
const goldens = readdirSync(folder).map((file, index) => {
  const { stream, recorded, told } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
    stream: string;
    recorded: NewEvent[];
    told: string[];
  };
  return {
    stream: `${stream}${index}`,
    recorded: recorded.map((event) => ({ ...event, id: `${index}${event.id.slice(1)}` })),
    told,
  };
});
const ses = (n: number) => `ses_9${String(n).padStart(25, '0')}`;

/** What left: on the topic and in the feeds, by the event's id. */
interface Left {
  topic: Map<string, string>;
  feed: Map<string, string>;
  /** The ids of each key on the topic in their order, and of each feed. */
  order: Map<string, string[]>;
}

async function leftOf(world: EventsWorld, orgs: readonly string[], count: number): Promise<Left> {
  const left: Left = { topic: new Map(), feed: new Map(), order: new Map() };
  const put = (list: string, id: string) => left.order.set(list, [...(left.order.get(list) ?? []), id]);
  await eventually('everything on the topic', () => {
    world.clock.advance(500);
    return world.eventLog.all(topic).length >= count;
  });
  for (const { key, headers, value } of world.eventLog.all(topic)) {
    left.topic.set(String(headers.ce_id), Buffer.from(value).toString());
    put(key, String(headers.ce_id));
  }
  for (const org of orgs) {
    for (let at = feedStart; ;) {
      const rows = await world.feed().after(org, at, 100);
      for (const { envelope } of rows) {
        left.feed.set(String(envelope.meta.id), canonicalJson(envelope));
        put(`feed of ${org}`, String(envelope.meta.id));
      }
      const last = rows.at(-1);
      if (!last) break;
      at = last.position;
    }
  }
  return left;
}

/** Runs relay and feed over the world's log from its start until all is out. */
async function left(world: EventsWorld, orgs: readonly string[], count: number): Promise<Left> {
  const relay = sourceRelay(world.publicEvents(), 'svc', world.relayParts);
  const projector = world.projector();
  relay.start();
  projector.start();
  await eventually('the feeds', async () => {
    world.clock.advance(1100);
    return (await Promise.all(orgs.map((org) => world.feed().after(org, feedStart, 1000)))).flat().length >= count;
  });
  const found = await leftOf(world, orgs, count);
  await relay.close();
  await projector.close();
  return found;
}

describe('a replay', () => {
  it('of the same log, by a relay and a feed that never ran before, tells the same bytes in the same order', async () => {
    const world = eventsWorld();
    for (const { stream, recorded } of goldens) await world.store.append(stream, 'none', recorded);
    for (let n = 0; n < 6; n += 1) await world.sessions.open(ses(n), n % 2 === 0 ? orgA : orgB);
    for (let m = 0; m < 5; m += 1)
      for (let n = 0; n < 6; n += 1)
        await world.sessions.say(ses(n), n % 2 === 0 ? orgA : orgB, {
          content: [{ type: 'text', text: 'ü😀'.repeat(m * 5_000) }],
        });
    const orgs = [
      ...new Set([orgA, orgB, ...goldens.flatMap(({ recorded }) => recorded.map(({ meta }) => String(meta.org_id)))]),
    ];
    const count = goldens.flatMap(({ told }) => told).length + 30;
    const first = await left(world, orgs, count);
    const again = eventsWorld();
    const streams = [
      ...goldens.map(({ stream }) => stream),
      ...Array.from({ length: 6 }, (_, n) => `session-${ses(n)}`),
    ];
    const log = (await Promise.all(streams.map((stream) => world.store.read(stream, { limit: 1000 }))))
      .flat()
      .sort((a, b) => (a.position < b.position ? -1 : 1));
    for (const { stream, revision, id, type, data, meta } of log)
      await again.store.append(stream, revision === 0 ? 'none' : revision - 1, [{ id, type, data, meta }]);
    const replayed = await left(again, orgs, count);
    expect(first.topic.size).toBe(count);
    expect(replayed).toEqual(first);
    expect(first.feed).toEqual(first.topic);
  });
});
