// Source events: how soon they are on the feed's stream in one process, and what the relay carries to Kafka.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import { portsOf } from '../engines/engine.mjs';
import { startEngines } from '../engines/index.mjs';
import { eventStoreTwin, serviceProcess } from '../fleet/processes.mjs';
import { caller, percentiles } from './client.mjs';
import { built, pause, startService } from './processes.mjs';
import { invocation, makeAgent, tokens } from './requests.mjs';

const rates = [50, 200];
const feedSeconds = 8;
const backlogTurns = 5_000;
const relayRate = 1_000;
const relaySeconds = 10;
const eventsOfTurn = 2;
const tickMs = 10;
const atOnce = 200;
const untilMs = 180_000;
const topic = 'svc.source-events.v1';
/**
 * Of the appends that this program offers, 200 at once over one connection: on a loaded machine the 5 s that an append
 * has in a service were not enough for its wait here and its answer, and one late answer has all under way sent again.
 */
const patient = { attemptMs: 20_000, budgetMs: 120_000 };

function p95(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
}

/**
 * Calls `work` `rate` times a second for some seconds, whatever becomes of the calls before, unless too many are open;
 * gives the rate that was reached.
 */
async function paced(rate, seconds, work) {
  const open = new Set();
  const began = performance.now();
  let done = 0;
  while (performance.now() - began < seconds * 1000) {
    for (
      const due = Math.floor(((performance.now() - began) / 1000) * rate);
      done < due && open.size < atOnce;
      done += 1
    ) {
      const call = work(done).finally(() => open.delete(call));
      open.add(call);
    }
    await pause(tickMs);
  }
  const reached = done / ((performance.now() - began) / 1000);
  await Promise.all(open);
  return reached;
}

/** Follows the stream; calls `told(envelope)` as frames come. */
async function follow({ url, key }, told) {
  const abort = new AbortController();
  const response = await fetch(`${url}/v1/events/stream`, {
    headers: { authorization: `Bearer ${key}` },
    signal: abort.signal,
  });
  const decoder = new TextDecoder();
  let rest = '';
  const reading = (async () => {
    for await (const chunk of response.body) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = parts.pop();
      for (const part of parts) if (!part.startsWith(':')) told(JSON.parse(part.slice(part.indexOf('\ndata: ') + 7)));
    }
  })().catch((error) => {
    if (error.name !== 'AbortError') throw error;
  });
  return {
    close: async () => {
      abort.abort();
      await reading;
    },
  };
}

/** One process, turns at a fixed rate: from the record of an event to its frame. */
export async function feed(report) {
  for (const rate of rates) {
    const server = await startService();
    const client = caller(server, 64);
    const agent = await makeAgent(client);
    const lags = [];
    const stream = await follow(server, ({ meta }) => {
      lags.push(Date.now() - Date.parse(meta.received_at));
    });
    let admitted = 0;
    const reached = await paced(rate, feedSeconds, async () => {
      await client.send('POST', '/v1/agents/invoke', invocation(agent, tokens(5)));
      admitted += 1;
    });
    for (const until = performance.now() + untilMs; lags.length < admitted * eventsOfTurn && performance.now() < until;)
      await pause(20);
    await stream.close();
    await client.close();
    await server.stop();
    const { p50, p99 } = percentiles(lags);
    report('feed', `${reached.toFixed(0)} turns/s: recorded to seen on the stream, p50 / p99, ms`, {
      ours: p50,
      other: p99,
    });
    report('feed', `${reached.toFixed(0)} turns/s: recorded to seen on the stream, p95, ms`, {
      ours: p95(lags),
      aim: '<= 100',
    });
  }
}

/** Event store, Redis, Kafka and the service that relays; nothing else of the fleet. */
async function relayWorld() {
  const dir = mkdtempSync(join(tmpdir(), 'aos-bench-relay-'));
  const engines = await startEngines({ dir, kafka: true, redis: true });
  const twin = await eventStoreTwin(join(dir, 'eventstore'), built);
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
    release: () => ({ dist: built, settings: {} }),
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

async function cpuMsOf({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]) * 1000;
}

async function until(seen, count) {
  for (const deadline = performance.now() + untilMs; seen.length < count;) {
    if (performance.now() > deadline) throw new Error(`${seen.length} of ${count} events came in ${untilMs} ms`);
    await pause(10);
  }
}

/**
 * The service that relays, between a log and a broker of its own: how fast it works off a backlog, and how far behind
 * it is under 1,000 turns/s.
 */
export async function relay(report) {
  const world = await relayWorld();
  try {
    const writeTurn = turnWriter(world.store);
    for (let done = 0; done < backlogTurns; done += atOnce)
      await Promise.all(Array.from({ length: atOnce }, writeTurn));
    const reader = await topicReader(world.engines.kafka.brokers);
    await world.relay.start();
    await until(reader.seen, 1);
    const [began, first] = [performance.now(), reader.seen.length];
    await until(reader.seen, backlogTurns * eventsOfTurn);
    report('relay', `a backlog of ${backlogTurns * eventsOfTurn} source events: events/s to Kafka`, {
      ours: (backlogTurns * eventsOfTurn - first) / ((performance.now() - began) / 1000),
    });
    await pause(5_000); // the feed and the session log have caught up too
    const cpuMs = await cpuMsOf(world.relay);
    reader.seen.length = 0;
    let written = 0;
    const reached = await paced(relayRate, relaySeconds, async () => {
      await writeTurn();
      written += 1;
    });
    await until(reader.seen, written * eventsOfTurn);
    await pause(5_000);
    report(
      'relay',
      'processor time of a source event, with its feed row and session log, us (5,000 a second in one core)',
      { ours: (((await cpuMsOf(world.relay)) - cpuMs) * 1000) / (written * eventsOfTurn), aim: '<= 150' },
    );
    const { p50, p99 } = percentiles(reader.seen);
    report(
      'relay',
      `${reached.toFixed(0)} turns/s of ${relayRate} offered: recorded to read from Kafka, p50 / p99, ms`,
      { ours: p50, other: p99 },
    );
    report('relay', `${reached.toFixed(0)} turns/s of ${relayRate} offered: recorded to read from Kafka, p95, ms`, {
      ours: p95(reader.seen),
    });
    await reader.close();
  } finally {
    await world.stop();
  }
}
