import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { GenericContainer, Wait, type StartedTestContainer } from 'testcontainers';

const START_MS = 120_000;
const STOP_MS = 30_000;

function image(variable: string): string {
  const name = process.env[variable];
  if (!name) throw new Error(`${variable} names the image to start: run these suites with \`npm run test:docker\``);
  return name;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a container before the tests of this file and stops it after them; gives where it listens, known once they run. */
function container(start: () => Promise<{ started: StartedTestContainer; address: string }>): () => string {
  let running: { started: StartedTestContainer; address: string } | null = null;
  beforeAll(async () => {
    running = await start();
  }, START_MS);
  afterAll(async () => {
    await running?.started.stop();
  }, STOP_MS);
  return () => {
    if (!running) throw new Error('the container has not started');
    return running.address;
  };
}

/** A Redis; gives its URL. */
export function redisContainer(): () => string {
  return container(async () => {
    const started = await new GenericContainer(image('REDIS_IMAGE'))
      .withCommand([
        'redis-server',
        '--protected-mode',
        'no',
        '--appendonly',
        'yes',
        '--maxmemory-policy',
        'noeviction',
      ])
      .withExposedPorts(6379)
      .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
      .start();
    return { started, address: `redis://127.0.0.1:${started.getMappedPort(6379)}` };
  });
}

/** One Kafka node, broker and controller; gives the broker. It advertises the port of this machine that leads to it. */
export function kafkaContainer(): () => string {
  return container(async () => {
    const port = await freePort();
    const started = await new GenericContainer(image('KAFKA_IMAGE'))
      .withExposedPorts({ container: 9092, host: port })
      .withEnvironment({
        CLUSTER_ID: 'YW9zLWNvbXBvc2Uta2Fmaw',
        KAFKA_NODE_ID: '1',
        KAFKA_PROCESS_ROLES: 'broker,controller',
        KAFKA_LISTENERS: 'PLAINTEXT://:9092,CONTROLLER://:9093',
        KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://127.0.0.1:${port}`,
        KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
        KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
        KAFKA_INTER_BROKER_LISTENER_NAME: 'PLAINTEXT',
        KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
        KAFKA_LOG_DIRS: '/var/lib/kafka/data',
        KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
        KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
        KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '1',
        KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      })
      .withWaitStrategy(Wait.forListeningPorts())
      .withStartupTimeout(START_MS)
      .start();
    return { started, address: `127.0.0.1:${port}` };
  });
}
