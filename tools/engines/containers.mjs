// Engines in containers. Each keeps its address and its data through a crash or a restart, until it is removed.
import { freePort } from '../ports.mjs';
import { kafkaAnswers } from './kafka.mjs';
import { redisAnswers, redisArguments, redisClusterAnswers } from './redis.mjs';
import { within } from './within.mjs';

const startTimeoutMs = 120_000;
const pullMs = 600_000;
const askMs = 30_000;
const probeEveryMs = 50;
const stopSeconds = 20;
const redisBusPort = 16_379;
/** The images of docker/compose.yaml, and the variables that replace them there. */
const images = {
  kafka: process.env.KAFKA_IMAGE ?? 'apache/kafka:4.1.2',
  redis: process.env.REDIS_IMAGE ?? 'redis:7.2-bookworm',
  'redis-cluster': process.env.REDIS_IMAGE ?? 'redis:7.2-bookworm',
  eventstoredb: process.env.EVENTSTORE_IMAGE ?? 'eventstore/eventstore:24.10.0-bookworm-slim',
};

/** Resolves once the probe does. Rejects with its last error when that takes too long. */
async function untilAnswered(name, probe) {
  for (const deadline = Date.now() + startTimeoutMs; ;) {
    try {
      return await within(Math.max(1, deadline - Date.now()), 'a question', probe());
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`${name} does not answer: ${error.message}`, { cause: error });
    }
    await new Promise((resolve) => {
      setTimeout(resolve, probeEveryMs);
    });
  }
}

/** A container with the verbs of `Engine`. `stop` keeps it, so that `start` finds its data; `remove` ends it. */
class ContainerEngine {
  #container = null;

  /**
   * Takes the runtime's client; name; address; definition of the container; probe(), which rejects until the engine
   * answers.
   */
  constructor(client, { name, address, definition, probe }) {
    this.client = client;
    Object.assign(this, { name, address, definition, probe });
  }

  async start() {
    if (this.#container) await this.#container.start();
    else this.#container = this.client.container.getById((await this.definition.start()).getId());
    await untilAnswered(this.name, this.probe);
  }

  async stop() {
    await this.#container.stop({ t: stopSeconds });
  }

  /** Ends it as a crash would. */
  async kill() {
    await this.#container.kill();
  }

  async restart() {
    await this.stop();
    await this.start();
  }

  async remove() {
    await this.#container?.remove({ force: true, v: true });
    this.#container = null;
  }
}

function kafkaEnvironment(port) {
  return {
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
    KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
    KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: '1',
    KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: '1',
    KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
  };
}

function eventStoreEnvironment(port) {
  return {
    EVENTSTORE_CLUSTER_SIZE: '1',
    EVENTSTORE_INSECURE: 'true',
    EVENTSTORE_RUN_PROJECTIONS: 'None',
    EVENTSTORE_TELEMETRY_OPTOUT: 'true',
    EVENTSTORE_ADVERTISE_HOST_TO_CLIENT_AS: '127.0.0.1',
    EVENTSTORE_ADVERTISE_NODE_PORT_TO_CLIENT_AS: String(port),
  };
}

async function eventStoreAnswers(port) {
  const { ok, status } = await fetch(`http://127.0.0.1:${port}/health/live`);
  if (!ok) throw new Error(`health is ${status}`);
}

/** Each takes a container of its image and a free port of this machine; gives address, definition and probe. */
const definitions = {
  kafka: (container, port) => ({
    address: `127.0.0.1:${port}`,
    definition: container.withExposedPorts({ container: 9092, host: port }).withEnvironment(kafkaEnvironment(port)),
    probe: () => kafkaAnswers(`127.0.0.1:${port}`),
  }),
  redis: (container, port) => ({
    address: `redis://127.0.0.1:${port}`,
    definition: redisDefinition(container, port, null),
    probe: () => redisAnswers(port),
  }),
  'redis-cluster': (container, port) => ({
    address: `redis://127.0.0.1:${port}`,
    definition: redisDefinition(container, port, redisBusPort),
    probe: () => redisClusterAnswers(port),
  }),
  eventstoredb: (container, port) => ({
    address: `esdb://127.0.0.1:${port}?tls=false`,
    definition: container
      .withExposedPorts({ container: 2113, host: port })
      .withEnvironment(eventStoreEnvironment(port)),
    probe: () => eventStoreAnswers(port),
  }),
};

/** The port is the same inside and outside: a cluster announces it. */
function redisDefinition(container, port, busPort) {
  const command = ['redis-server', '--protected-mode', 'no', ...redisArguments({ port, bind: '0.0.0.0', busPort })];
  return container.withCommand(command).withExposedPorts({ container: port, host: port });
}

export class Containers {
  #testcontainers;
  #client;

  constructor(testcontainers, client) {
    this.#testcontainers = testcontainers;
    this.#client = client;
  }

  /** Gives null where no Docker engine answers. */
  static async find() {
    // its image may be out of reach; this run removes its containers itself
    process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true';
    const testcontainers = await import('testcontainers');
    try {
      const client = await within(askMs, 'the search for a Docker engine', testcontainers.getContainerRuntimeClient());
      return new Containers(testcontainers, client);
    } catch (error) {
      if (/Could not find a working container runtime/.test(error.message)) return null;
      throw error;
    }
  }

  /** Gives an engine that is not started yet; null when its image is not there and cannot be pulled. */
  async engine(name) {
    const { GenericContainer, ImageName, Wait } = this.#testcontainers;
    const image = ImageName.fromString(images[name]);
    if (!(await this.#client.image.exists(image))) {
      try {
        await within(pullMs, `the pull of ${images[name]}`, this.#client.image.pull(image));
      } catch (error) {
        console.error(`${images[name]} cannot be had: ${error.message}`);
        return null;
      }
    }
    const container = new GenericContainer(images[name])
      .withWaitStrategy(Wait.forListeningPorts())
      .withStartupTimeout(startTimeoutMs);
    return new ContainerEngine(this.#client, { name, ...definitions[name](container, await freePort()) });
  }
}
