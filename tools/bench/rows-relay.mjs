// What the relay carries to Kafka and what it costs, of this build and, where BENCH_BEFORE names its folder, of another:
// BENCH_ROUNDS says how often each is measured in turn (medians are shown), BENCH_PROFILE leaves processor profiles.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import { portsOf } from '../engines/engine.mjs';
import { startEngines } from '../engines/index.mjs';
import { eventStoreTwin, serviceProcess } from '../fleet/processes.mjs';
import { p95, paced, percentiles, repeat } from './client.mjs';
import { built, cpuMs, pause, profiling, threadsOf } from './processes.mjs';

/** Relayed before anything is counted: a process that relays for hours has compiled its code. */
const warmTurns = 4_500;
const backlogTurns = 5_000;
const relayRate = 1_000;
const relaySeconds = 10;
const restMs = 10_000;
const settleMs = 5_000;
const eventsOfTurn = 2;
/** Fewer than the client of the event store has under way at once: none waits for a place while its time runs. */
const atOnce = 12;
const untilMs = 180_000;
const topic = 'svc.source-events.v1';
/** Of an append; one that was not answered is sent again with the same ids, and is written once. */
const patient = { attemptMs: 20_000, budgetMs: untilMs };

/** Event store, Redis, Kafka and the service that relays; nothing else of the fleet. */
async function relayWorld(build) {
  const dir = mkdtempSync(join(tmpdir(), 'aos-bench-relay-'));
  const engines = await startEngines({ dir, kafka: true, redis: true });
  const twin = await eventStoreTwin(join(dir, 'eventstore'), build);
  await twin.start();
  const { EventStoreDbEventStore } = createRequire(import.meta.url)(
    join(built, 'libs', 'adapters', 'eventstoredb', 'src', 'index.js'),
  );
  const store = new EventStoreDbEventStore({ url: twin.url, ...patient });
  const folder = join(dir, 'fleet');
  mkdirSync(join(dir, 'blobs'), { recursive: true });
  mkdirSync(folder, { recursive: true });
  const { service: port } = await portsOf(folder, ['service']);
  const relay = serviceProcess({
    release: () => ({ dist: build, settings: profiling() }),
    folder,
    name: 'stream-service',
    service: 'stream-service',
    replica: 0,
    port,
    env: {
      SVC_MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      SVC_EVENTSTOREDB_URL: twin.url,
      SVC_REDIS_URL: engines.redis.url,
      SVC_KAFKA_BROKERS: engines.kafka.brokers,
      SVC_DATA_DIR: dir,
      SVC_PORT: String(port),
      SVC_HOST: '127.0.0.1',
      SVC_LOG_LEVEL: 'warn',
      SVC_GATEWAY_UPSTREAMS: JSON.stringify({}),
    },
  });
  const stop = async () => {
    await relay.stop();
    await store.close();
    await Promise.all([twin.stop(), engines.stop()]);
    rmSync(dir, { recursive: true, force: true });
  };
  return { store, relay, engines, stop };
}

/** Appends what a turn in a new session leaves: six events, two of which are told. */
function turnWriter(store) {
  const orgId = 'org_00000000000000000000000001';
  return async () => {
    const id = `ses_${randomUUID().replaceAll('-', '').slice(0, 26)}`;
    const at = new Date().toISOString();
    const event = (type, data) => ({
      id: randomUUID(),
      type,
      data,
      meta: { schema_version: '1', org_id: orgId, recorded_at: at },
    });
    const row = (sequence, role) => ({
      id: `msg_${id}${sequence}`,
      role,
      content: [{ type: 'text', text: 'x'.repeat(200) }],
      entry_type: 'message',
      sequence,
      turn_id: null,
      turn_index: null,
      created_at: at,
    });
    const session = {
      id,
      org_id: orgId,
      agent_id: 'agent_00000000000000000000000001',
      session_key: id,
      owner: { kind: 'team', id: null },
      visibility: 'organization',
      title: '',
      origin: 'api',
      compaction_policy: { strategy: 'disabled' },
      created_by: 'svc_1',
      created_at: at,
    };
    await store.append(`session-${id}`, 'none', [
      event('SessionOpened', { session }),
      event('MessageAppended', { row: row(1, 'user') }),
      event('TurnQueued', {}),
      event('TurnClaimed', {}),
      event('MessageAppended', { row: row(2, 'assistant') }),
      event('TurnCompleted', {}),
    ]);
  };
}

/** Reads the topic from now on; `seen` holds the lag of each record. */
async function topicReader(brokers) {
  const kafka = new kafkajs.Kafka({ clientId: 'bench', brokers: [brokers], logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 12, replicationFactor: -1 }] });
  await admin.disconnect();
  const consumer = kafka.consumer({ groupId: 'bench', maxWaitTimeInMs: 20 });
  const seen = [];
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      const now = Date.now();
      for (const { value } of batch.messages)
        seen.push(now - Date.parse(JSON.parse(value.toString()).meta.received_at));
    },
  });
  return { seen, close: () => consumer.disconnect() };
}

async function until(seen, count) {
  for (const deadline = performance.now() + untilMs; seen.length < count;) {
    if (performance.now() > deadline) throw new Error(`${seen.length} of ${count} events came in ${untilMs} ms`);
    await pause(10);
  }
}

/**
 * Microseconds of processor for each of `events` since `from`, of all threads or of `cpu`, without what the process at
 * rest takes meanwhile.
 */
function usAnEvent({ from, to, rest, events }, cpu = 'all') {
  const restMs = (rest[cpu] * (to.at - from.at)) / 1000;
  return ((to[cpu] - from[cpu] - restMs) * 1000) / events;
}

/** Milliseconds of processor a second while nothing happens, of all threads and of the main one. */
function atRest(from, to) {
  const aSecond = (cpu) => ((to[cpu] - from[cpu]) * 1000) / (to.at - from.at);
  return { all: aSecond('all'), main: aSecond('main') };
}

/** One measure, of one build: a backlog behind one that warms the process up, rest, and a load. */
async function measured(build) {
  const world = await relayWorld(build);
  try {
    const writeTurn = turnWriter(world.store);
    await repeat(atOnce, warmTurns + backlogTurns, writeTurn);
    const reader = await topicReader(world.engines.kafka.brokers);
    await world.relay.start();
    const look = () => {
      const { pid } = world.relay;
      return { at: performance.now(), all: cpuMs(pid), main: threadsOf(pid).main.us / 1000 };
    };
    const last = (warmTurns + backlogTurns) * eventsOfTurn;
    await until(reader.seen, warmTurns * eventsOfTurn);
    const [first, backlog] = [reader.seen.length, look()];
    await until(reader.seen, last);
    const perSecond = (last - first) / ((performance.now() - backlog.at) / 1000);
    await pause(settleMs); // the feed and the session log have caught up too
    const resting = look();
    await pause(restMs);
    const loading = look();
    const rest = atRest(resting, loading);
    reader.seen.length = 0;
    let written = 0;
    const reached = await paced(
      relayRate,
      relaySeconds,
      async () => {
        await writeTurn();
        written += 1;
      },
      { atOnce },
    );
    await until(reader.seen, written * eventsOfTurn);
    await pause(settleMs);
    const loaded = look();
    const { p50, p99 } = percentiles(reader.seen);
    const lag95 = p95(reader.seen);
    await reader.close();
    const ofBacklog = { from: backlog, to: resting, rest, events: last - first };
    const ofLoad = { from: loading, to: loaded, rest, events: written * eventsOfTurn };
    return { perSecond, ofBacklog, rest: rest.all, ofLoad, reached, p50, p99, lag95 };
  } finally {
    await world.stop();
  }
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * The service that relays, between a log and a broker of its own: how fast it works off a backlog, how far behind it is
 * under 1,000 turns/s, and the processor time of both beyond what it takes at rest. Before anything is counted it relays
 * what 4,500 turns left.
 */
export async function relay(report) {
  const builds = { ours: built, ...(process.env.BENCH_BEFORE && { other: process.env.BENCH_BEFORE }) };
  const rounds = Number(process.env.BENCH_ROUNDS ?? 1);
  const found = { ours: [], other: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const [whose, build] of Object.entries(builds)) found[whose].push(await measured(build));
  const shown = (what, value, aim) => {
    const medians = Object.keys(builds).map((whose) => [whose, median(found[whose].map(value))]);
    report('relay', what, { ...Object.fromEntries(medians), ...(aim && { aim }) });
  };
  const work = 'processor time of a source event, with its feed row and session log, us';
  const warm = `behind ${warmTurns * eventsOfTurn} that warm up`;
  const load = `of ${relayRate} turns/s offered`;
  shown(
    `a backlog of ${backlogTurns * eventsOfTurn} source events, ${warm}: events/s to Kafka`,
    ({ perSecond }) => perSecond,
  );
  shown(`a backlog: ${work}`, ({ ofBacklog }) => usAnEvent(ofBacklog));
  shown('a backlog: the same, main thread', ({ ofBacklog }) => usAnEvent(ofBacklog, 'main'));
  shown('at rest: processor time a second, ms', ({ rest }) => rest);
  shown(`${load}: reached`, ({ reached }) => reached);
  shown(`${work} (5,000 a second in one core)`, ({ ofLoad }) => usAnEvent(ofLoad), '<= 150');
  shown(`${load}: the same, main thread`, ({ ofLoad }) => usAnEvent(ofLoad, 'main'));
  shown(`${load}: recorded to read from Kafka, p50, ms`, ({ p50 }) => p50);
  shown(`${load}: recorded to read from Kafka, p95, ms`, ({ lag95 }) => lag95);
  shown(`${load}: recorded to read from Kafka, p99, ms`, ({ p99 }) => p99);
}
