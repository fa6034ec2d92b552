import { Logger } from '@nestjs/common';
import type { Position } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { heartbeats, sessionTopic, sourceTopic } from '../relay/records.js';
import { Heartbeats, sessionLogRelay } from '../relay/session-log-relay.js';
import { sourceRelay } from '../relay/source-relay.js';
import { eventsWorld, orgA, orgB } from '../testing/events.fixture.js';
import { KafkaChangeNotifier } from './kafka-change-notifier.js';

Logger.overrideLogger(false);

const ses = (n: number) => `ses_${String(n).padStart(26, '0')}`;

async function listening() {
  const world = eventsWorld();
  await world.eventLog.ensureTopics([sourceTopic('svc'), sessionTopic('svc')]);
  const notifier = new KafkaChangeNotifier({
    eventLog: world.eventLog,
    clock: world.clock,
    topicPrefix: 'svc',
    group: 'gw-1',
  });
  const health: boolean[] = [];
  notifier.onHealth((healthy) => {
    health.push(healthy);
  });
  notifier.start();
  return { ...world, notifier, health };
}

describe("the relays' topics as a doorbell", () => {
  it('ring the session and the organization that an event belongs to, and nobody else', async () => {
    const { notifier, sessions, publicEvents, relayParts } = await listening();
    const notified: unknown[] = [];
    for (const id of [ses(1), ses(2)])
      notifier.watch(id, (revision: number) => {
        notified.push([id, revision]);
      });
    const closed = notifier.watch(ses(1), () => {
      notified.push('closed');
    });
    closed.close();
    for (const org of [orgA, orgB])
      notifier.feeds.watch(org, (position: Position) => {
        notified.push([org, position]);
      });
    await sessions.open(ses(1), orgA);
    await sessions.say(ses(1), orgA);
    const relays = [sourceRelay(publicEvents(), 'svc', relayParts), sessionLogRelay('svc', relayParts)];
    for (const relay of relays) relay.start();
    await eventually('rung', () => notified.length === 2); // one record for both events of the session
    expect(notified).toEqual(
      expect.arrayContaining([
        [ses(1), 1],
        [orgA, '00000000000000000002'],
      ]),
    );
    await Promise.all(relays.map((relay) => relay.close()));
    await notifier.close();
  });

  it('are healthy while fetches are answered and every partition brings its heartbeat', async () => {
    const { notifier, clock, eventLog, health } = await listening();
    const beat = async () => {
      await eventLog.publish(sessionTopic('svc').topic, heartbeats(''));
      await eventLog.delivered();
    };
    expect(notifier.healthy).toBe(false);
    eventLog.fetched();
    expect(notifier.healthy).toBe(false);
    await beat();
    clock.advance(250);
    expect([notifier.healthy, notifier.feeds.healthy, health]).toEqual([true, true, [true]]);
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
    expect(notifier.healthy).toBe(false); // one partition is silent
    await notifier.close();
  });

  it('hear a relay that moves', async () => {
    const { notifier, clock, eventLog, relayParts } = await listening();
    const relay = sessionLogRelay('svc', relayParts);
    const beats = new Heartbeats(relay, 'svc', relayParts);
    relay.start();
    beats.start();
    await eventually('healthy', () => {
      clock.advance(250);
      eventLog.fetched();
      return notifier.healthy;
    });
    await beats.close();
    await relay.close();
    clock.advance(1500);
    eventLog.fetched();
    expect(notifier.healthy).toBe(false);
    await notifier.close();
  });
});
