import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import {
  type SourceEvent,
  Client,
  addressOf,
  allRows,
  createAgent,
  envelopeFaults,
  eventsAfter,
  eventually,
  feedEnd,
  feedTells,
  invoke,
  rawRequest,
  scenario,
  settled,
  toldOf,
  unique,
} from '../harness/index.js';
import { turnMs } from './conversations.js';
import { crash, engine, engineBack, replicas } from './fleet.js';
import { type TopicRecord, consoleConsumer, publicTopic, taken } from './topic.js';

/** A minute in a soak, some seconds in every run. */
const kafkaDownMs = Number(process.env['KAFKA_DOWN_MS'] ?? 5_000);
const workerCount = 4;
const relayedMs = 120_000;
const deathMs = 120_000;

const places = [
  'before-handle',
  'before-publish',
  'after-publish',
  'after-handle',
  'before-checkpoint',
  'after-checkpoint',
].map((place) => `${place} source`);
const share = process.env['FAILPOINTS'] === 'all' ? places : places.filter((_, index) => index % 3 === 2);

jest.setTimeout(600_000);

const api = Client.owner();
/** Half a character of an id is U+FFFD in the key. */
const keyOf = (orgId: string, { source_kind: kind, source_id: id }: SourceEvent) =>
  Buffer.from(`${orgId}:${kind}:${id}`).toString();

/** Reads the whole topic until it holds all of these events; the records by key, as a consumer takes them. */
async function relayed(events: readonly SourceEvent[]): Promise<Map<string, TopicRecord[]>> {
  return eventually(
    'every event on the topic',
    async () => {
      const byKey = taken(await consoleConsumer(publicTopic));
      const ids = new Set([...byKey.values()].flat().map(({ headers }) => headers['ce_id']));
      const missing = events.filter(({ meta: { id } }) => !ids.has(id));
      if (missing.length > 0)
        throw new Error(`${missing.length} of ${events.length} are missing, ${missing[0]?.meta.id} the first`);
      return byKey;
    },
    relayedMs,
  );
}

/**
 * Per key the topic holds what the feed holds: in its order, each event, the same bytes. The topic is the whole
 * organization's; a key that the feed lacks is of a thing that its reader does not reach (rules A30, R46, E19).
 */
async function expectTopicEqualsFeed(byKey: Map<string, TopicRecord[]>, events: readonly SourceEvent[]): Promise<void> {
  const orgId =
    [...byKey.values()].flat().find(({ headers }) => headers['ce_id'] === events[0]?.meta.id)?.headers['ce_orgid'] ??
    '';
  const feed = new Map<string, string[]>();
  for (const event of events)
    feed.set(keyOf(orgId, event), [...(feed.get(keyOf(orgId, event)) ?? []), JSON.stringify(event)]);
  for (const [key, values] of feed)
    expect({ key, values: byKey.get(key)?.map(({ value }) => value) }).toEqual({ key, values });
  const others = [...byKey].filter(([key]) => key.startsWith(`${orgId}:`) && !feed.has(key));
  for (const [key, records] of others) {
    const address = addressOf(JSON.parse(records[0]?.value ?? '') as SourceEvent);
    expect({ key, address, status: (await rawRequest(api, 'GET', address)).status }).toEqual({
      key,
      address,
      status: 404,
    });
  }
}

/** Turns on and on until told to stop; every one that was acknowledged is in the ledger. */
function load(agentId: string): { ledger: Map<string, string>; end: () => Promise<void> } {
  const ledger = new Map<string, string>();
  let going = true;
  const worker = async () => {
    while (going) {
      // a service that was killed answers nothing: not acknowledged
      const ack = await invoke(api, agentId, 'hello').catch(() => null);
      if (ack) ledger.set(ack.session_id, ack.turn_id);
    }
  };
  const workers = Array.from({ length: workerCount }, worker);
  return {
    ledger,
    end: async () => {
      going = false;
      await Promise.all(workers);
    },
  };
}

/**
 * Runs turns while something happens: every row of every acknowledged turn is on the topic, in order, and what is there
 * twice is the same.
 */
async function losesNothing(what: string, trouble: (ledger: Map<string, string>) => Promise<void>): Promise<void> {
  const place = await feedEnd(api);
  const agent = await createAgent(api, { name: unique('relay') });
  const { ledger, end } = load(agent.id);
  await trouble(ledger).finally(end);
  expect(ledger.size).toBeGreaterThan(0);
  for (const [session, turn] of ledger)
    expect((await settled(api, { session_id: session, turn_id: turn }, turnMs)).status).toBe('completed');
  const events = await eventually(
    'the feed',
    async () => {
      const { events: all } = await eventsAfter(api, place, { event_type: 'session.message.created' });
      const mine = all.filter(({ source_id: session }) => ledger.has(session));
      return mine.length >= 2 * ledger.size ? mine : null;
    },
    relayedMs,
  );
  const byKey = await relayed(events);
  for (const session of ledger.keys()) {
    const [key, records] = [...byKey].find(([one]) => one.endsWith(`:session:${session}`)) ?? [];
    const told = (records ?? []).map(({ value }) => JSON.parse(value) as SourceEvent);
    const rows = await allRows(api, session);
    expect({ key, sequences: told.map(({ event }) => event['sequence']) }).toEqual({
      key,
      sequences: rows.map(({ sequence }) => sequence),
    });
    expect(told.map(({ event }) => event['message_id'])).toEqual(rows.map(({ id }) => id));
  }
  if (process.env['FAILPOINTS'] === 'all')
    process.stdout.write(
      `said: ${what}: ${ledger.size} turns acknowledged meanwhile, their ${events.length} events each taken once.\n`,
    );
}

describe('the public topic', () => {
  it('invariant 73: a stock consumer reads every event of a scenario, in order per key and without a gap, as the schemas say and as the feed says', async () => {
    const begin = await feedEnd(api);
    const expected = await scenario(api);
    await feedTells(api, begin, expected);
    const { events } = await eventsAfter(api, undefined);
    const byKey = await relayed(events);
    await expectTopicEqualsFeed(byKey, events);
    const records = [...byKey.values()].flat();
    expect(records.map(({ value }) => JSON.parse(value) as SourceEvent).flatMap(envelopeFaults)).toEqual([]);
    const mine = records.filter(({ headers }) => expected.has(String(headers['ce_subject'])));
    expect(
      toldOf(
        mine.map(({ value }) => JSON.parse(value) as SourceEvent),
        expected,
      ),
    ).toEqual(expected);
    for (const { key, headers, value } of mine) {
      const { event_type, source_kind, source_id, meta } = JSON.parse(value) as SourceEvent;
      expect(headers).toMatchObject({
        ce_specversion: '1.0',
        ce_id: meta.id,
        ce_type: event_type,
        ce_subject: source_id,
        ce_time: meta['occurred_at'],
        'content-type': 'application/json',
        ce_partitionkey: key,
      });
      expect(key).toBe(`${headers['ce_orgid']}:${source_kind}:${source_id}`);
    }
  });

  it('invariant 71: a feed that is built again after Redis lost everything has the same bytes', async () => {
    const read = async () => (await eventsAfter(api, undefined)).events.map((event) => JSON.stringify(event));
    const before = await read();
    const redis = new Redis(engine('redis').url, { lazyConnect: true });
    await redis.connect();
    await redis.flushall();
    redis.disconnect();
    expect(
      await eventually(
        'the feed again',
        async () => {
          const now = await read();
          return now.length >= before.length ? now : null;
        },
        relayedMs,
      ),
    ).toEqual(before);
  });
});

describe('73: at least once, whatever dies', () => {
  it(`Kafka is down for ${kafkaDownMs} ms under load, killed whenever it comes back`, () =>
    losesNothing('Kafka down', async (ledger) => {
      await eventually('some load', () => Promise.resolve(ledger.size > 3));
      const until = performance.now() + kafkaDownMs;
      let dead = crash(engine('kafka'));
      const acknowledged = ledger.size;
      while (performance.now() < until) {
        await eventually(
          'Kafka being back, or the end of the outage',
          () => Promise.resolve(performance.now() >= until || (engine('kafka').pid ?? dead) !== dead),
          2 * kafkaDownMs + deathMs,
        );
        if (performance.now() < until) dead = crash(engine('kafka'));
      }
      await engineBack('kafka', dead);
      expect(ledger.size).toBeGreaterThan(acknowledged); // turns do not wait for Kafka
    }));

  it.each(share)('the relay is killed at %s', (place) =>
    losesNothing(`killed at ${place}`, async (ledger) => {
      await eventually('some load', () => Promise.resolve(ledger.size > 3));
      await diesAt(place);
      await diesAt('after-claim source', { mustClaim: true }); // the one that takes over dies too, before it sends
    }),
  );
});

/**
 * Has the process that gets to a place die there; ends when it is dead.
 *
 * With `mustClaim` one that relays is killed: it claimed before the place was named, as when its lease lapsed under
 * load, and no other would claim.
 */
async function diesAt(place: string, { mustClaim = false } = {}): Promise<void> {
  const file = join(process.env['SERVICE_DATA_DIR'] ?? '', 'failpoint');
  const killed = new Set<number>();
  const alive = new Map<number, number>();
  const hasDied = () =>
    replicas('stream-service')
      .map(({ replica, pid }) => {
        const before = alive.get(replica);
        if (pid === null) alive.delete(replica);
        else alive.set(replica, pid);
        return before !== undefined && pid !== before && !killed.has(before);
      })
      .some(Boolean);
  hasDied(); // notes who lives
  writeFileSync(file, place);
  try {
    await eventually(
      `the death at ${place}`,
      async () => {
        if (hasDied()) return true;
        if (mustClaim) for (const copy of await relaying()) killed.add(crash(copy));
        return false;
      },
      deathMs,
    );
  } finally {
    writeFileSync(file, '');
  }
}

/** The copies that say of themselves that they relay. */
async function relaying(): Promise<ReturnType<typeof replicas>> {
  const asked = replicas('stream-service').filter(({ pid }) => pid !== null);
  const answers = await Promise.all(
    asked.map(async ({ url }) => {
      const answer = await fetch(`${url}/metrics`).catch(() => null); // it dies, or has only begun
      return answer ? answer.text() : '';
    }),
  );
  return asked.filter((_copy, index) => /^relay_active\{[^}]*relay="source"[^}]*\} 1$/m.test(answers[index] ?? ''));
}
