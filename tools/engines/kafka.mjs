// One Kafka node (broker and controller, KRaft) run with plain java.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import { run } from './commands.mjs';
import { Engine, portsOf } from './engine.mjs';
import { installKafka } from './install.mjs';

const { Kafka, logLevel } = kafkajs;
const formatTimeoutMs = 60_000;

/**
 * kafkajs 2.2.4 arms a timer of a negative time after each answer while no request waits (its issue 1751): every client
 * of this program looks only while requests wait, as those of the services do (libs/adapters/kafka).
 */
const { prototype: requestQueue } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js');
const schedule = requestQueue.scheduleCheckPendingRequests;
requestQueue.scheduleCheckPendingRequests = function scheduleWhilePending() {
  if (this.pending.length > 0) schedule.call(this);
};

function properties(folder, broker, controller, advertised) {
  return Object.entries({
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${broker},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${advertised}`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    'log.dirs': join(folder, 'log'),
    'auto.create.topics.enable': false, // a topic that nobody ensured must be noticed
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 1,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'group.initial.rebalance.delay.ms': 0,
    'log.cleaner.dedupe.buffer.size': 16 * 1024 * 1024,
  })
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

function storageTool(folder, classPath, args) {
  const command = ['-Xmx128m', '-cp', classPath, 'kafka.tools.StorageTool', ...args];
  return run('java', command, { log: join(folder, 'format.log'), timeoutMs: formatTimeoutMs }).trim();
}

/** Resolves when the broker answers a metadata request and its group coordinator has been found; rejects otherwise. */
export async function kafkaAnswers(broker) {
  const kafka = new Kafka({
    clientId: 'engine-probe',
    brokers: [broker],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1_000,
    retry: { retries: 0 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    if (brokers.length === 0) throw new Error('no broker is registered yet');
    await admin.fetchOffsets({ groupId: 'engine-probe', topics: [] });
  } finally {
    await admin.disconnect();
  }
}

/**
 * Takes a folder; gives an engine that is not started yet, with its `brokers`. The first time its storage is formatted.
 * `wire(port)` gives the port by which clients reach the broker, when something stands before it.
 */
export async function kafkaEngine(folder, { detached = false, wire = (port) => port } = {}) {
  const classPath = installKafka();
  mkdirSync(folder, { recursive: true });
  const { broker, controller } = await portsOf(folder, ['broker', 'controller']);
  const settings = join(folder, 'server.properties');
  const advertised = await wire(broker);
  writeFileSync(settings, `${properties(folder, broker, controller, advertised)}\n`);
  if (!existsSync(join(folder, 'log', 'meta.properties'))) {
    const cluster = storageTool(folder, classPath, ['random-uuid']).split('\n').at(-1);
    storageTool(folder, classPath, ['format', '-t', cluster, '-c', settings]);
  }
  const engine = new Engine({
    name: 'kafka',
    folder,
    detached,
    command: 'java',
    args: [
      '-Xmx512m',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
      '-cp',
      classPath,
      'kafka.Kafka',
      settings,
    ],
    probe: () => kafkaAnswers(`127.0.0.1:${advertised}`),
  });
  engine.brokers = `127.0.0.1:${advertised}`;
  return engine;
}
