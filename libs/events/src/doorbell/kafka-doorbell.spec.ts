import { Logger } from '@nestjs/common';
import type { Position } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { heartbeats, sessionTopic, sourceTopic } from '../relay/records.js';
import { Heartbeats, sessionLogRelay } from '../relay/session-log-relay.js';
import { sourceRelay } from '../relay/source-relay.js';
import { eventsWorld, orgA, orgB } from '../testing/events.fixture.js';
import { KafkaDoorbell } from './kafka-doorbell.js';

Logger.overrideLogger(false);

const ses = (n: number) => `ses_${String(n).padStart(26, '0')}`;

async function listening() {
  const world = eventsWorld();
  await world.eventLog.ensureTopics([sourceTopic('svc'), sessionTopic('svc')]);
  const bell = new KafkaDoorbell({ eventLog: world.eventLog, clock: world.clock, topicPrefix: 'svc', group: 'gw-1' });
  const health: boolean[] = [];
  bell.onHealth((healthy) => {
    health.push(healthy);
  });
  bell.start();
  return { ...world, bell, health };
}

describe("the relays' topics as a doorbell", () => {
  it('ring the session and the organization that an event belongs to, and nobody else', async () => {
    const { bell, sessions, publicEvents, relayParts } = await listening();
    const rings: unknown[] = [];
    for (const id of [ses(1), ses(2)])
      bell.watch(id, (revision: number) => {
        rings.push([id, revision]);
      });
    const closed = bell.watch(ses(1), () => {
      rings.push('closed');
    });
    closed.close();
    for (const org of [orgA, orgB])
      bell.feeds.watch(org, (position: Position) => {
        rings.push([org, position]);
      });
    await sessions.open(ses(1), orgA);
    await sessions.say(ses(1), orgA);
    const relays = [sourceRelay(publicEvents(), 'svc', relayParts), sessionLogRelay('svc', relayParts)];
    for (const relay of relays) relay.start();
    await eventually('rung', () => rings.length === 3);
    expect(rings).toEqual(
      expect.arrayContaining([
        [ses(1), 0],
        [ses(1), 1],
        [orgA, '00000000000000000002'],
      ]),
    );
    await Promise.all(relays.map((relay) => relay.close()));
    await bell.close();
  });

  it('are healthy while fetches are answered and every partition brings its heartbeat', async () => {
    const { bell, clock, eventLog, health } = await listening();
    const beat = async () => {
      await eventLog.publish(sessionTopic('svc').topic, heartbeats(''));
      await eventLog.delivered();
    };
    expect(bell.healthy).toBe(false);
    eventLog.fetched();
    expect(bell.healthy).toBe(false);
    await beat();
    clock.advance(250);
    expect([bell.healthy, bell.feeds.healthy, health]).toEqual([true, true, [true]]);
    clock.advance(800);
    eventLog.fetched();
    clock.advance(250);
    expect(health).toEqual([true, false]); // no heartbeat for more than a second
    await beat();
    clock.advance(250);
    expect(health).toEqual([true, false, true]);
    clock.advance(1000);
    await eventLog.publish(sessionTopic('svc').topic, heartbeats('').slice(1));
    await eventLog.delivered();
    eventLog.fetched();
    clock.advance(250);
    expect(bell.healthy).toBe(false); // one partition is silent
    await bell.close();
  });

  it('hear a relay that moves', async () => {
    const { bell, clock, eventLog, relayParts } = await listening();
    const relay = sessionLogRelay('svc', relayParts);
    const beats = new Heartbeats(relay, 'svc', relayParts);
    relay.start();
    beats.start();
    await eventually('healthy', () => {
      clock.advance(250);
      eventLog.fetched();
      return bell.healthy;
    });
    await beats.close();
    await relay.close();
    clock.advance(1500);
    eventLog.fetched();
    expect(bell.healthy).toBe(false);
    await bell.close();
  });
});
