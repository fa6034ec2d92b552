import { Logger } from '@nestjs/common';
import { RecordRefused, StoreUnavailable, type ConsumedRecord } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { MemoryLeases } from '@aos/adapters/memory';
import { eventsWorld, orgA, orgB, type EventsWorld } from '../testing/events.fixture.js';
import { expectStoppedAt, inTime, ses, sessionsWith } from '../testing/relays.fixture.js';
import type { SourceEvent } from '../publishing/envelope.wire.js';
import { PublicEvents } from '../publishing/public-events.js';
import { publishers } from '../publishing/publishers.js';
import { partitionOf } from './partition.js';
import { partitions, sourceRecord, sourceTopic } from './records.js';
import type { Relay } from './relay.js';
import { sourceRelay } from './source-relay.js';

const topic = sourceTopic('svc').topic;
const idOf = ({ headers }: ConsumedRecord) => String(headers.ce_id);

class Crash extends Error {}

Logger.overrideLogger(false);

const uniqueIds = (world: EventsWorld) => new Set(world.eventLog.all(topic).map(idOf));

/** Per key the places never go back, once a consumer drops what is not above the last one. */
function expectOrderAndEqualBytes(records: readonly ConsumedRecord[], expected: number): void {
  const lastOfKey = new Map<string, string>();
  const bytes = new Map<string, string>();
  const taken: ConsumedRecord[] = [];
  for (const record of records) {
    const position = String(record.headers.ce_position);
    const known = bytes.get(idOf(record));
    if (known !== undefined) expect(Buffer.from(record.value).toString()).toBe(known);
    bytes.set(idOf(record), Buffer.from(record.value).toString());
    if (position <= (lastOfKey.get(record.key) ?? '')) continue;
    lastOfKey.set(record.key, position);
    taken.push(record);
  }
  expect(bytes.size).toBe(expected);
  expect(new Set(taken.map(idOf)).size).toBe(expected);
}

describe('source relay', () => {
  const relays: Relay[] = [];
  const start = (world: EventsWorld) => {
    const relay = sourceRelay(world.publicEvents(), 'svc', { ...world.relayParts });
    relays.push(relay);
    relay.start();
    return relay;
  };
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(relays.splice(0).map((relay) => relay.close()));
  });

  it('sends CloudEvents keyed by organization, kind and source', async () => {
    const world = eventsWorld();
    await world.sessions.open(ses(1), orgA);
    await world.sessions.say(ses(1), orgA);
    start(world);
    await eventually('sent', () => world.eventLog.all(topic).length === 1);
    const [record] = world.eventLog.all(topic);
    const key = `${orgA}:session:${ses(1)}`;
    expect(record).toMatchObject({
      key,
      partition: partitionOf(key, partitions),
      headers: {
        ce_specversion: '1.0',
        ce_id: 'evt_00000000-0000-4000-8000-000000000002',
        ce_type: 'session.message.created',
        ce_source: `/orgs/${orgA}/sessions/${ses(1)}`,
        ce_subject: ses(1),
        ce_time: '2026-01-01T00:00:01.000Z',
        'content-type': 'application/json',
        ce_partitionkey: key,
        ce_orgid: orgA,
        ce_revision: '1',
        ce_position: '00000000000000000002',
      },
    });
    expect(JSON.parse(Buffer.from(record?.value ?? []).toString())).toMatchObject({
      event_type: 'session.message.created',
      meta: { id: record?.headers.ce_id },
    });
  });

  it('E4: an id with half a character is U+FFFD in key and headers, and stands in the envelope as it is', () => {
    const meta = { id: 'evt_1', event_type: 'crm.event', occurred_at: '2026-01-01T00:00:00.000Z' };
    const envelope = { event_type: 'crm.event', source_kind: 'integration', source_id: 'a\ud800', event: {}, meta };
    const record = sourceRecord({ envelope, orgId: orgA, position: '1', revision: 0 } as unknown as SourceEvent);
    expect(record).toMatchObject({
      key: `${orgA}:integration:a\ufffd`,
      headers: { ce_source: `/orgs/${orgA}/integrations/a%EF%BF%BD`, ce_subject: 'a\ufffd' },
    });
    expect(JSON.parse(Buffer.from(record.value).toString())).toEqual(envelope);
  });

  it('reads the prefixes when it begins: a publisher that was registered after it was made is relayed', async () => {
    const world = eventsWorld();
    const events = new PublicEvents(world.store, world.payloads);
    const relay = sourceRelay(events, 'svc', { ...world.relayParts });
    relays.push(relay);
    events.register(...publishers);
    await world.sessions.open(ses(1), orgA);
    await world.sessions.say(ses(1), orgA);
    relay.start();
    await inTime(world, 'sent', () => uniqueIds(world).size === 1);
  });

  it.each([1, 7, 30, 59])(
    'broken off at record %i, before or after it is stored, it loses nothing and repeats only equal bytes',
    async (at) => {
      for (const when of ['before', 'after'] as const) {
        const world = eventsWorld();
        const expected = await sessionsWith(world, 6, 10);
        let stored = 0;
        world.eventLog.beforeRecord = () => {
          stored += 1;
          if (when === 'before' && stored === at) throw new StoreUnavailable('broken off');
        };
        world.eventLog.afterPublish = () => {
          if (when === 'after' && stored >= at) {
            world.eventLog.afterPublish = () => undefined;
            throw new StoreUnavailable('the answer is lost');
          }
        };
        start(world);
        await inTime(world, 'all sent', () => uniqueIds(world).size === expected);
        expectOrderAndEqualBytes(world.eventLog.all(topic), expected);
      }
    },
  );

  it('killed between sending and checkpoint, the next one skips by the tails of partitions what was sent', async () => {
    const world = eventsWorld();
    let expected = await sessionsWith(world, 4, 5);
    const first = start(world);
    await inTime(world, 'first part', () => uniqueIds(world).size === expected);
    world.clock.advance(2000);
    await world.sessions.say(ses(0), orgA);
    await inTime(world, 'checkpoint', () => uniqueIds(world).size === expected + 1);
    const saved = (await world.store.read('relay-source', { backwards: true, limit: 1 }))[0]?.data.position;
    expect(saved).toEqual(expect.any(String));
    // from here on the first one cannot save: what it sends lies between checkpoint and crash
    world.store.faults = {
      beforeAppend: (stream, _expected, [event]) => {
        if (stream === 'relay-source' && event?.type === 'RelayMoved') throw new Crash('dead');
      },
    };
    for (let n = 0; n < 4; n += 1) await world.sessions.say(ses(n), n % 2 === 0 ? orgA : orgB);
    expected += 5;
    await inTime(world, 'sent without checkpoint', () => uniqueIds(world).size === expected);
    await first.close().catch((error: unknown) => {
      expect(error).toBeInstanceOf(Crash);
    });
    relays.splice(0);
    world.store.faults = {};
    const before = world.eventLog.all(topic).length;
    await world.leases.release('reactor:source', '');
    await world.sessions.say(ses(1), orgB);
    start(world);
    await inTime(world, 'the new one', () => uniqueIds(world).size === expected + 1);
    expect(world.eventLog.all(topic)).toHaveLength(before + 1);
    expectOrderAndEqualBytes(world.eventLog.all(topic), expected + 1);
  });

  it('fought over by two processes that both believe in their lease loses nothing and keeps order per key', async () => {
    const world = eventsWorld();
    const relayOf = () => {
      const relay = sourceRelay(world.publicEvents(), 'svc', {
        ...world.relayParts,
        reactors: world.reactors(new MemoryLeases(world.clock)),
      });
      relays.push(relay);
      relay.start();
    };
    let expected = await sessionsWith(world, 5, 2);
    relayOf();
    relayOf();
    for (let round = 0; round < 12; round += 1) {
      for (let n = 0; n < 5; n += 1) await world.sessions.say(ses(n), n % 2 === 0 ? orgA : orgB);
      expected += 5;
      world.clock.advance(1700);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    await inTime(world, 'all sent', () => uniqueIds(world).size === expected);
    expectOrderAndEqualBytes(world.eventLog.all(topic), expected);
  });

  it('whose partition was emptied sends again what it cannot know was sent', async () => {
    const world = eventsWorld();
    const expected = await sessionsWith(world, 3, 4);
    const first = start(world);
    await inTime(world, 'sent', () => uniqueIds(world).size === expected);
    await first.close();
    await world.sessions.say(ses(0), orgA);
    for (const records of world.eventLog.partitions.get(topic)?.values() ?? []) records.length = 0;
    start(world);
    await inTime(world, 'the new one', () =>
      world.eventLog.all(topic).some(({ headers }) => headers.ce_subject === ses(0) && headers.ce_revision === '5'),
    );
  });

  it('stops loudly at an event that nobody declared, and sends nothing after it', async () => {
    const world = eventsWorld();
    await world.sessions.open(ses(1), orgA);
    await world.sessions.append(ses(1), orgA, 'NeverHeardOf', {});
    await world.sessions.say(ses(1), orgA);
    const relay = start(world);
    await eventually('stopped', () => relay.failure !== null);
    await expectStoppedAt(world, relay, 'source', { count: 2, at: `${ses(1)}@1`, type: 'NeverHeardOf' });
    expect(world.eventLog.all(topic)).toEqual([]);
    expect(relay.isMoving(1000)).toBe(false);
  });

  it('TP25: stops at an event that cannot be published, after those before it have left', async () => {
    const world = eventsWorld();
    await sessionsWith(world, 2, 3);
    await world.sessions.append(ses(1), orgB, 'NeverHeardOf', {});
    await world.sessions.say(ses(0), orgA);
    const relay = start(world);
    await eventually('stopped', () => relay.failure !== null);
    await expectStoppedAt(world, relay, 'source', { count: 9, at: `${ses(1)}@4`, type: 'NeverHeardOf' });
    expectOrderAndEqualBytes(world.eventLog.all(topic), 6);
  });

  it('TP25: stops at an event that no record can be made of, and names it without what it says', async () => {
    const world = eventsWorld();
    await world.sessions.open(ses(1), orgA);
    await world.sessions.say(ses(1), orgA, { content: [{ type: 'text', text: 'a secret' }] });
    jest.spyOn(globalThis, 'encodeURIComponent').mockImplementation(() => {
      throw new URIError('URI malformed');
    });
    const relay = start(world);
    await inTime(world, 'stopped', () => relay.failure !== null);
    await expectStoppedAt(world, relay, 'source', { count: 2, at: `${ses(1)}@1`, type: 'MessageAppended' });
    expect(String(relay.failure)).toContain('URI malformed');
    expect(world.eventLog.all(topic)).toEqual([]);
  });

  it('TP25: stops at the one record of many that is refused for good, after those before it have left', async () => {
    const world = eventsWorld();
    await sessionsWith(world, 1, 4);
    world.eventLog.beforeRecord = ({ headers }) => {
      if (headers.ce_revision === '3') throw new RecordRefused('too large');
    };
    const relay = start(world);
    await eventually('stopped', () => relay.failure !== null);
    await expectStoppedAt(world, relay, 'source', { count: 4, at: `${ses(0)}@3`, type: 'MessageAppended' });
    expect(new Set(world.eventLog.all(topic).map(({ headers }) => headers.ce_revision))).toEqual(new Set(['1', '2']));
  });

  it('TP25: goes on when records are refused together and each of them is taken', async () => {
    const world = eventsWorld();
    const expected = await sessionsWith(world, 2, 4);
    const publish = world.eventLog.publish.bind(world.eventLog);
    jest.spyOn(world.eventLog, 'publish').mockImplementation(async (to, records) => {
      if (records.length > 1) throw new RecordRefused('the list is too large');
      await publish(to, records);
    });
    const relay = start(world);
    await inTime(world, 'all sent', () => uniqueIds(world).size === expected);
    expectOrderAndEqualBytes(world.eventLog.all(topic), expected);
    expect(relay.failure).toBeNull();
  });

  it('tells how long the oldest event has been waiting', async () => {
    const world = eventsWorld();
    world.eventLog.beforeRecord = () => {
      throw new StoreUnavailable('away');
    };
    await world.sessions.open(ses(1), orgA);
    await world.sessions.say(ses(1), orgA);
    const relay = start(world);
    await eventually('waiting', () => {
      world.clock.advance(100);
      return relay.lagMs > 0;
    });
    world.clock.advance(30_000);
    expect(relay.lagMs).toBeGreaterThanOrEqual(30_000);
    world.eventLog.beforeRecord = () => undefined;
    await inTime(world, 'sent', () => uniqueIds(world).size === 1);
    await eventually('no lag', () => relay.lagMs === 0);
  });
});

test("partitions are those of Kafka's own clients", () => {
  const murmur2 = (key: string) => partitionOf(key, 0x7fffffff);
  expect(murmur2('21')).toBe(-973932308 & 0x7fffffff);
  expect(murmur2('foobar')).toBe(-790332482 & 0x7fffffff);
  expect(murmur2('a-little-bit-long-string')).toBe(-985981536 & 0x7fffffff);
  expect(murmur2('abc')).toBe(479470107);
});
