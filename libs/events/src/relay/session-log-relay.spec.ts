import { Logger } from '@nestjs/common';
import { RecordRefused, StoreUnavailable, type JsonObject } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { eventsWorld, orgA, type EventsWorld } from '../testing/events.fixture.js';
import { expectStoppedAt, ses, sessionsWith } from '../testing/relays.fixture.js';
import { heartbeatType, partitions, sessionTopic } from './records.js';
import { Heartbeats, sessionLogRelay } from './session-log-relay.js';
import { sourceRelay } from './source-relay.js';

const sessionLog = sessionTopic('svc').topic;

Logger.overrideLogger(false);

describe('session log relay', () => {
  /** What stands in the records of the topic, in order. */
  const recordsOf = (world: EventsWorld) =>
    world.eventLog
      .all(sessionLog)
      .map(({ key, headers, value }) => ({
        key,
        revision: Number(headers.ce_revision),
        events: [JSON.parse(Buffer.from(value).toString()) as JsonObject].flat() as JsonObject[],
      }));

  it("TP25: sends one record for a session's events of a batch, whose headers are those of the last one", async () => {
    const world = eventsWorld();
    const relay = sessionLogRelay('svc', world.relayParts);
    for (const n of [1, 2]) await world.sessions.open(ses(n), orgA);
    for (let m = 0; m < 3; m += 1) for (const n of [1, 2]) await world.sessions.say(ses(n), orgA);
    relay.start();
    await eventually('sent', () => recordsOf(world).length === 2);
    expect(recordsOf(world).map(({ key, revision, events }) => [key, revision, events.length])).toEqual(
      expect.arrayContaining([
        [ses(1), 3, 4],
        [ses(2), 3, 4],
      ]),
    );
    for (const { events } of recordsOf(world)) expect(events.map(({ revision }) => revision)).toEqual([0, 1, 2, 3]);
    expect(recordsOf(world)[0]?.events[1]).toMatchObject({ type: 'MessageAppended', data: { row: { sequence: 1 } } });
    await relay.close();
  });

  it('TP25: a record holds at most 32 KiB, a larger event stands alone by name, and none is missing', async () => {
    const world = eventsWorld();
    const relay = sessionLogRelay('svc', world.relayParts);
    await world.sessions.open(ses(1), orgA);
    for (const length of [12_000, 12_000, 12_000, 50_000, 10])
      await world.sessions.say(ses(1), orgA, { content: [{ type: 'text', text: 'x'.repeat(length) }] });
    relay.start();
    await eventually('sent', () => recordsOf(world).some(({ revision }) => revision === 5));
    expect(recordsOf(world).flatMap(({ events }) => events.map(({ revision }) => revision))).toEqual([
      0, 1, 2, 3, 4, 5,
    ]);
    for (const { value } of world.eventLog.all(sessionLog)) expect(value.byteLength).toBeLessThanOrEqual(33 * 1024);
    const larger = recordsOf(world).flatMap(({ events }) => events)[4];
    expect(larger).toMatchObject({ type: 'MessageAppended' });
    expect(larger).not.toHaveProperty('data');
    await relay.close();
  });

  it('TP25: stops at the session event whose record is refused for good, and names it', async () => {
    const world = eventsWorld();
    await sessionsWith(world, 2, 1);
    world.eventLog.beforeRecord = ({ key, headers }) => {
      if (key === ses(1) && headers.ce_revision === '1') throw new RecordRefused('too large');
    };
    const relay = sessionLogRelay('svc', world.relayParts);
    relay.start();
    await eventually('stopped', () => relay.failure !== null);
    await expectStoppedAt(world, relay, 'sessionlog', { count: 4, at: `${ses(1)}@1`, type: 'MessageAppended' });
    const sent = recordsOf(world).flatMap(({ key, events }) => events.map(({ revision }) => [key, revision]));
    expect(sent).toEqual(
      expect.arrayContaining([
        [ses(0), 0],
        [ses(0), 1],
        [ses(1), 0],
      ]),
    );
    await relay.close();
  });

  it('lets events gather for longer than the source relay, which others wait for', async () => {
    const world = eventsWorld();
    const subscribe = jest.spyOn(world.store, 'subscribe');
    const relays = [
      sessionLogRelay('svc', world.relayParts),
      sourceRelay(world.publicEvents(), 'svc', world.relayParts),
    ];
    for (const relay of relays) relay.start();
    await eventually('both read', () => subscribe.mock.calls.length === 2);
    const gathered = subscribe.mock.calls.map(([{ prefixes, gather }]) => [prefixes.length > 1, gather]);
    expect(gathered).toEqual(
      expect.arrayContaining([
        [false, { ms: 50 }],
        [true, { ms: 10, busyMs: 40 }],
      ]),
    );
    await Promise.all(relays.map((relay) => relay.close()));
  });

  it('TP25: events of two traces leave in two records, each in its own', async () => {
    const world = eventsWorld();
    const relay = sessionLogRelay('svc', world.relayParts);
    await world.sessions.open(ses(1), orgA);
    for (const traceparent of ['00-a', '00-a', '00-b'])
      await world.sessions.append(ses(1), orgA, 'SessionRenamed', {}, { traceparent });
    relay.start();
    await eventually('sent', () => recordsOf(world).length === 3);
    const traces = world.eventLog.all(sessionLog).map(({ headers }) => [headers.ce_revision, headers.traceparent]);
    expect(traces).toEqual([
      ['0', undefined],
      ['2', '00-a'],
      ['3', '00-b'],
    ]);
    await relay.close();
  });

  it('sends every session event, large payloads by name only, and heartbeats to each partition while it moves', async () => {
    const world = eventsWorld();
    const relay = sessionLogRelay('svc', world.relayParts);
    const heartbeats = new Heartbeats(relay, 'svc', world.relayParts);
    await world.sessions.open(ses(1), orgA);
    await world.sessions.say(ses(1), orgA, { content: [{ type: 'text', text: 'x'.repeat(40_000) }] });
    relay.start();
    heartbeats.start();
    await eventually('sent', () => recordsOf(world).flatMap(({ events }) => events).length === 2);
    const [opened, said] = recordsOf(world).flatMap(({ events }) => events);
    expect(opened).toMatchObject({ type: 'SessionOpened', revision: 0, data: { session: { id: ses(1) } } });
    expect(said).toMatchObject({ type: 'MessageAppended', revision: 1 });
    expect(said).not.toHaveProperty('data');
    world.clock.advance(500);
    const beats = () => world.eventLog.all(sessionLog).filter(({ headers }) => headers.ce_type === heartbeatType);
    await eventually('a beat for each partition', () => beats().length === partitions);
    expect(new Set(beats().map(({ partition }) => partition)).size).toBe(partitions);
    world.eventLog.beforeRecord = ({ headers }) => {
      if (headers.ce_type !== heartbeatType) throw new StoreUnavailable('stuck');
    };
    await world.sessions.say(ses(1), orgA);
    await eventually('stuck', () => relay.lagMs > 0 || !relay.isMoving(0));
    world.clock.advance(1500);
    const sofar = beats().length;
    world.clock.advance(2000);
    expect(relay.isMoving(1000)).toBe(false);
    expect(beats()).toHaveLength(sofar);
    await heartbeats.close();
    await relay.close();
  });
});
