import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { Blobs, EventStore, Members } from '@aos/kernel';
import { SettingsRefused, onceThere, sharedCheck, type Core } from '@aos/platform';
import { SystemIds } from '@aos/adapters/system';
import type { KafkaEventLog } from '@aos/adapters/kafka';
import type { RedisExpiringSets, RedisTokenBuckets } from '@aos/adapters/redis';
import { enginesAnswer } from './engines-answer.js';
import type { Ports } from './ports.js';

/** How long a store that answered counts as there. */
const wellForMs = 2_000;

/** What a service asks for beyond log, read models and bus; packages of the rest are not even loaded. */
export interface FleetNeeds {
  models?: boolean;
  egress?: boolean;
  eventLog?: boolean;
  /**
   * What all gateways share: buckets of requests, and who holds a stream open. Services count there what a request
   * turned out to cost.
   */
  limits?: boolean;
  /** Who shares sessions out: what session-service says of itself, and the gateway reads. */
  members?: boolean;
}

export type FleetPorts = Ports & {
  limits?: { buckets: RedisTokenBuckets; streams: RedisExpiringSets };
  members?: Members;
};

/**
 * EventStoreDB for the truth, Redis for what can be lost and rebuilt, Kafka for the way out, a bucket or a shared
 * folder for large values.
 *
 * Refuses  missing addresses of the engines, and a folder for blobs that is not there: all services share it, so none
 *          of them makes it.
 */
export async function fleetPorts(core: Core, needs: FleetNeeds): Promise<FleetPorts> {
  const { log, readiness } = core;
  const { eventStoreUrl, redisUrl } = requiredEngines(core);
  const { EventStoreDbEventStore } = await import('@aos/adapters/eventstoredb');
  const {
    RedisConnection,
    RedisExpiringSets: ExpiringSets,
    RedisLeases,
    RedisLiveBus,
    RedisMembers,
    RedisReadStore,
    RedisSnapshots,
    RedisTokenBuckets: Buckets,
  } = await import('@aos/adapters/redis');
  const { blobs, check: checkBlobs, close: closeBlobs } = await sharedBlobs(core);
  const redis = {
    url: redisUrl,
    log: (message: string, error?: unknown) => {
      log.warn(message, { error });
    },
  };
  const connection = new RedisConnection(redis);
  const eventStore = new EventStoreDbEventStore({ url: eventStoreUrl });
  const readStore = new RedisReadStore(connection);
  const snapshots = new RedisSnapshots(connection);
  const leases = new RedisLeases(connection);
  const liveBus = new RedisLiveBus(redis);
  const eventLog = needs.eventLog ? await kafkaLog(core) : null;
  const limits = needs.limits ? { buckets: new Buckets(connection), streams: new ExpiringSets(connection) } : null;
  const members = needs.members ? new RedisMembers(connection) : null;
  whileTheyAnswer(core, eventStore, checkBlobs);
  readiness.register(
    onceThere('redis', () => Promise.resolve(connection.healthy && liveBus.healthy ? null : 'not connected')),
  );
  if (eventLog) readiness.register(onceThere('kafka', () => eventLog.check().then(() => null)));
  // Later outages are lived with; a start without its engines would end at the first thing that is read.
  await enginesAnswer(core, [
    { name: 'event_store', setting: 'SVC_EVENTSTOREDB_URL', check: () => eventStore.check() },
    { name: 'redis', setting: 'SVC_REDIS_URL', check: () => connection.check() },
    ...(eventLog ? [{ name: 'kafka', setting: 'SVC_KAFKA_BROKERS', check: () => eventLog.check() }] : []),
    { name: 'blobs', setting: 'SVC_S3_ENDPOINT', check: () => checkBlobs() },
  ]);
  return {
    eventStore,
    readStore,
    snapshots,
    leases,
    liveBus,
    blobs,
    ids: new SystemIds(),
    ...(eventLog ? { eventLog } : {}),
    ...(limits ? { limits } : {}),
    ...(members ? { members } : {}),
    ...(needs.models || needs.egress ? await outside(core, needs) : {}),
    async close() {
      await liveBus.close();
      await eventLog?.close();
      await leases.close();
      await snapshots.close();
      await readStore.close();
      await limits?.buckets.close();
      await limits?.streams.close();
      await members?.close();
      await eventStore.close();
      await closeBlobs();
    },
  };
}

/** What requests cannot do without is asked all the while. */
function whileTheyAnswer({ readiness, clock }: Core, log: Pick<EventStore, 'heads'>, checkBlobs: SharedBlobs['check']) {
  const logAnswers = () => log.heads(['readiness-probe']).then(() => null);
  readiness.register(sharedCheck({ name: 'event_store', check: logAnswers }, wellForMs, clock));
  readiness.register(sharedCheck({ name: 'blobs', check: checkBlobs }, wellForMs, clock));
}

function requiredEngines({ settings }: Core): { eventStoreUrl: string; redisUrl: string } {
  const { eventStoreUrl, redisUrl, kafkaBrokers } = settings;
  const faults = [
    ...(eventStoreUrl === null ? ['SVC_EVENTSTOREDB_URL is required in the fleet'] : []),
    ...(redisUrl === null ? ['SVC_REDIS_URL is required in the fleet'] : []),
    ...(kafkaBrokers === null ? ['SVC_KAFKA_BROKERS is required in the fleet'] : []),
  ];
  if (eventStoreUrl === null || redisUrl === null || faults.length > 0) throw new SettingsRefused(faults);
  return { eventStoreUrl, redisUrl };
}

async function kafkaLog({ settings, log, app }: Core): Promise<KafkaEventLog> {
  const { KafkaEventLog: EventLog } = await import('@aos/adapters/kafka');
  const { kafkaSaslMechanism: mechanism, kafkaUsername: username, kafkaPassword: password } = settings;
  return new EventLog({
    brokers: (settings.kafkaBrokers ?? []).map(
      ({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
    ),
    clientId: app.name,
    tls: settings.kafkaTls,
    ...(mechanism !== null && username !== null && password !== null
      ? { sasl: { mechanism, username, password } }
      : {}),
    log: {
      debug: (message) => {
        log.debug(message);
      },
      warn: (message) => {
        log.warn(message);
      },
    },
  });
}

async function outside(core: Core, needs: FleetNeeds) {
  const { egress, models } = await import('./models-and-egress.js');
  return { ...(needs.models ? { models: models(core) } : {}), ...(needs.egress ? { egress: egress(core) } : {}) };
}

interface SharedBlobs {
  blobs: Blobs;
  check(): Promise<string | null>;
  close(): Promise<void>;
}

async function sharedBlobs({ settings, clock }: Core): Promise<SharedBlobs> {
  const { s3Endpoint: endpoint, s3Bucket: bucket, s3AccessKey: accessKey, s3SecretKey: secretKey } = settings;
  if (endpoint !== null && bucket !== null && accessKey !== null && secretKey !== null) {
    const { S3Blobs } = await import('@aos/adapters/s3');
    const blobs = new S3Blobs({
      endpoint,
      bucket,
      accessKey,
      secretKey,
      region: settings.s3Region ?? 'us-east-1',
      clock,
    });
    return { blobs, check: () => blobs.check().then(() => null), close: () => blobs.close() };
  }
  const folder = join(settings.dataDir, 'blobs');
  const isThere = () =>
    access(folder, constants.W_OK).then(
      () => true,
      () => false,
    );
  if (!(await isThere()))
    throw new SettingsRefused([
      `SVC_DATA_DIR: ${folder} must be a folder that all services share, and be there; or set SVC_S3_ENDPOINT`,
    ]);
  const { FileBlobs } = await import('@aos/adapters/sqlite');
  return {
    blobs: new FileBlobs(folder),
    check: async () => ((await isThere()) ? null : 'the folder is gone'),
    close: () => Promise.resolve(),
  };
}
