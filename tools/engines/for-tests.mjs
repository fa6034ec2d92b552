// The engines of a test run: each is given by its address, else runs in a container where a Docker engine answers and
// its image can be had, else as a process of this machine. There is no process of EventStoreDB to start.
import { join } from 'node:path';
import { withoutSecrets } from '../fleet/launch.mjs';
import { Containers } from './containers.mjs';
import { kafkaEngine } from './kafka.mjs';
import { redisEngine } from './redis.mjs';

const settings = {
  kafka: 'SVC_KAFKA_BROKERS',
  redis: 'SVC_REDIS_URL',
  'redis-cluster': 'SVC_REDIS_CLUSTER_URL',
  eventstoredb: 'SVC_EVENTSTOREDB_URL',
};
const processes = {
  kafka: async (folder) => named(await kafkaEngine(folder), (engine) => engine.brokers),
  redis: async (folder) => named(await redisEngine(folder), (engine) => engine.url),
  'redis-cluster': async (folder) => named(await redisEngine(folder, { cluster: true }), (engine) => engine.url),
};
const verbs = { restart: 'restart', halt: 'stop', kill: 'kill', resume: 'start' };

const named = (engine, addressOf) => Object.assign(engine, { address: addressOf(engine) });

/** Addresses of the engines that are there, and the engines that this run started. */
export class TestEngines {
  #own = new Map();
  /** Setting -> address. */
  env = {};
  /** For each engine how it runs. */
  lines = [];

  /**
   * Takes the folder for files of processes. Starts what was not given; whatever was started is ended when one does not
   * start.
   */
  static async start(dir, given = process.env) {
    const engines = new TestEngines();
    const containers = Object.values(settings).every((setting) => given[setting]) ? null : await Containers.find();
    const started = await Promise.allSettled(
      Object.keys(settings).map((name) => engines.#start(name, given[settings[name]], containers, dir)),
    );
    const failure = started.find(({ status }) => status === 'rejected');
    if (failure) {
      await engines.stop();
      throw failure.reason;
    }
    engines.env.SVC_ENGINES_OWN = [...engines.#own.keys()].join(',');
    return engines;
  }

  async #start(name, given, containers, dir) {
    if (given) {
      this.#note(name, given, 'given: what would stop or empty it is skipped');
      return;
    }
    const contained = (await containers?.engine(name)) ?? null;
    const engine = contained ?? (await processes[name]?.(join(dir, name)));
    if (!engine) {
      this.lines.push(`${name}: not run (no address, and no container)`);
      return;
    }
    this.#own.set(name, engine);
    await engine.start();
    this.#note(name, engine.address, contained ? 'container' : 'process');
  }

  #note(name, address, how) {
    this.env[settings[name]] = address;
    this.lines.push(`${name}: ${withoutSecrets(address)} (${how})`);
  }

  /** Carries out restart, halt, kill or resume of an engine that this run started. */
  async control(name, verb) {
    const engine = this.#own.get(name);
    if (!engine) throw new Error(`no engine named ${name} was started`);
    if (!Object.hasOwn(verbs, verb)) throw new Error(`no verb ${verb}`);
    await engine[verbs[verb]]();
  }

  async stop() {
    const ended = await Promise.allSettled(
      [...this.#own.values()].map((engine) => ('remove' in engine ? engine.remove() : engine.stop())),
    );
    const failure = ended.find(({ status }) => status === 'rejected');
    if (failure) throw failure.reason;
  }
}
