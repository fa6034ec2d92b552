// The fleet on one machine: engines, services, and whoever brings back what dies.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { freePort } from '../ports.mjs';
import { portsOf } from '../engines/engine.mjs';
import { kafkaEngine } from '../engines/kafka.mjs';
import { redisEngine } from '../engines/redis.mjs';
import { Keeper } from './keeper.mjs';
import { fleetKeys } from './keys.mjs';
import { eventStoreTwin, serviceProcess } from './processes.mjs';
import { Wire, readiness } from './wire.mjs';
import { Wires } from './wires.mjs';

const lineEveryMs = 60_000;
const pollMs = 50;
const replicated = ['session-service', 'stream-service'];
const services = ['access-service', 'session-service', 'blueprint-service', 'interaction-service', 'stream-service'];
/** How an engine is told to the services. */
const engineSettings = { eventstore: 'SVC_EVENTSTOREDB_URL', redis: 'SVC_REDIS_URL', kafka: 'SVC_KAFKA_BROKERS' };

const pause = (ms) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

/** A setting that must be a whole number. */
function whole(env, name, fallback, min, max) {
  const text = (env[name] ?? '').trim() || String(fallback);
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new Error(`${name} takes a whole number from ${min} to ${max}`);
  return value;
}

/** What a service says that it still needs; null when it is ready. */
async function whatIsMissing({ url }) {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) });
    return answer.ok ? null : JSON.stringify((await answer.json()).checks);
  } catch (error) {
    return error.message;
  }
}

/** An address as it may be shown: account and options are left out. */
export function withoutSecrets(address) {
  const [, scheme = '', rest = ''] = /^(\S+?:\/\/)?(.*)$/s.exec(address) ?? [];
  return `${scheme}${rest.slice(rest.lastIndexOf('@') + 1).split('?')[0]}`;
}

export class Fleet {
  #env;
  #dist;
  /** Build of the second copies. */
  #oldDist;
  #dataDir;
  #restartMs;
  #replicas;
  #replicated;
  /** What stands between all parts in a test that cuts them apart; else null. */
  #wires;
  #door = null;
  #balancer = null;
  #print;
  #warn;
  #engines = [];
  #services = [];
  #keeper;
  /** What ended before the fleet was ready: the start fails with it. */
  #failure = null;
  #isReady = false;

  /**
   * Takes the environment of `npm start` plus SVC_FLEET_REPLICAS and SVC_FLEET_RESTART_MS; the folder of the build;
   * print(line) and warn(line). For tests: SVC_FLEET_COPIES_OF=all makes the copies of every service, two gateways
   * behind one port included; SVC_FLEET_WIRES=on puts wires between all parts and notes in fleet.json where they are
   * worked; FLEET_OLD_BUILD=<folder of another build> runs the second copy of each service from there, so that two
   * releases work side by side; FLEET_RELEASES=<file> says it by copy, `{"gateway-1": {"dist", "settings"}}`, and is
   * read again at each start of one: a copy that ends comes back as the file says then.
   */
  constructor({ env, dist, print, warn }) {
    this.#env = env;
    this.#dist = dist;
    this.#oldDist = env.FLEET_OLD_BUILD?.trim() ? resolve(env.FLEET_OLD_BUILD.trim()) : dist;
    this.#dataDir = resolve(env.SVC_DATA_DIR?.trim() || './data');
    this.#restartMs = whole(env, 'SVC_FLEET_RESTART_MS', 1000, 0, 600_000);
    this.#replicas = whole(env, 'SVC_FLEET_REPLICAS', 1, 1, 16);
    this.#replicated = env.SVC_FLEET_COPIES_OF === 'all' ? [...services, 'gateway'] : replicated;
    this.#wires = env.SVC_FLEET_WIRES === 'on' ? new Wires() : null;
    this.#print = print;
    this.#warn = warn;
    this.#keeper = new Keeper({
      restartMs: this.#restartMs,
      warn,
      onChange: () => {
        this.#record();
      },
    });
  }

  /**
   * Resolves with the gateway's URL when everything answers `/readyz`; throws with the log's tail of what does not,
   * everything stopped.
   */
  async start() {
    for (const open of this.#dataDirectoryRule()(this.#dataDir)) this.#warn(open);
    mkdirSync(join(this.#dataDir, 'blobs'), { recursive: true, mode: 0o700 });
    mkdirSync(join(this.#dataDir, 'fleet', 'doors'), { recursive: true });
    try {
      await this.#wires?.start();
      await this.#startEngines();
      await this.#startServices();
      await this.#untilReady();
      this.#isReady = true;
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#record();
    return this.#door;
  }

  /** Ends a start that still waits: it throws. */
  giveUp() {
    if (!this.#isReady) this.#failure ??= new Error('told to stop before everything was ready');
  }

  /** The gateway first, then the services, then what they stand on. */
  async stop() {
    await this.#keeper.stop();
    const gateway = this.#services.filter(({ service }) => service === 'gateway');
    const others = this.#services.filter(({ service }) => service !== 'gateway');
    const engines = this.#engines.filter(({ stop }) => stop);
    for (const group of [gateway, others, engines]) {
      const ended = await Promise.allSettled(group.map((each) => each.stop()));
      for (const { reason } of ended) if (reason) this.#warn(reason.message);
    }
    this.#balancer?.close();
    this.#wires?.close();
    this.#services = [];
    this.#engines = [];
    this.#door = null;
    this.#record();
  }

  /** The port by which others reach what listens on a port. */
  async #wired(name, port) {
    return this.#wires ? this.#wires.before(name, { port }) : port;
  }

  async #startEngines() {
    const folder = join(this.#dataDir, 'engines');
    mkdirSync(folder, { recursive: true });
    const make = {
      eventstore: () => eventStoreTwin(join(folder, 'eventstore'), this.#dist),
      redis: () => redisEngine(join(folder, 'redis')),
      kafka: () => kafkaEngine(join(folder, 'kafka'), { wire: (port) => this.#wired('kafka', port) }),
    };
    for (const [name, setting] of Object.entries(engineSettings)) {
      const given =
        this.#env[setting]?.trim() || (this.#env[`${setting}_FILE`]?.trim() ? `(from ${setting}_FILE)` : '');
      if (given) this.#engines.push({ name, pid: null, url: given, given: true });
      else this.#engines.push(await this.#reached(Object.assign(await make[name](), { name })));
    }
    const own = this.#engines.filter(({ given }) => !given);
    const started = await Promise.allSettled(
      own.map(async (engine) => {
        await engine.start();
        engine.onExit((how) => {
          this.#keeper.bringBack(engine, how);
        });
      }),
    );
    const failure = started.find(({ status }) => status === 'rejected');
    if (failure) throw failure.reason;
  }

  /** What a copy runs when it is started now. */
  #releaseOf(name, dist) {
    const file = this.#env.FLEET_RELEASES?.trim();
    const given = file ? JSON.parse(readFileSync(file, 'utf8'))[name] : undefined;
    return { dist, settings: {}, ...given };
  }

  /** An engine that tells its clients no address of its own is reached by its wire. */
  async #reached(engine) {
    if (!this.#wires || engine.brokers) return engine;
    const url = new URL(engine.url);
    url.port = String(await this.#wired(engine.name, Number(url.port)));
    return Object.assign(engine, { wired: url.href });
  }

  #urlOf(engine) {
    return engine.brokers ?? engine.wired ?? engine.url;
  }

  async #startServices() {
    const copiesOf = (service) =>
      Array.from({ length: this.#replicated.includes(service) ? this.#replicas : 1 }, (_, replica) => ({
        service,
        replica,
        name: `${service}-${replica}`,
      }));
    const copies = services.flatMap(copiesOf);
    const ports = await portsOf(
      join(this.#dataDir, 'fleet'),
      copies.map(({ name }) => name),
    );
    const upstreams = {};
    for (const { service, name } of copies)
      (upstreams[service] ??= []).push(`http://127.0.0.1:${await this.#wired(name, ports[name])}`);
    const engines = Object.fromEntries(
      this.#engines.filter(({ given }) => !given).map((engine) => [engineSettings[engine.name], this.#urlOf(engine)]),
    );
    const door = whole(this.#env, 'SVC_PORT', 8080, 0, 65_535) || (await freePort());
    const shared = {
      ...engines,
      SVC_PUBLIC_URL: this.#env.SVC_PUBLIC_URL?.trim() || `http://127.0.0.1:${door}`,
      SVC_DATA_DIR: this.#dataDir,
      SVC_GATEWAY_UPSTREAMS: JSON.stringify(upstreams),
      SVC_LOG_PRETTY: 'off',
    };
    const folder = join(this.#dataDir, 'fleet');
    const keysOf = fleetKeys(this.#env, this.#dataDir, [...services, 'gateway']);
    for (const { service, replica, name } of copies) {
      const env = {
        ...shared,
        ...keysOf(service),
        SVC_PORT: String(ports[name]),
        SVC_ADDRESS: upstreams[service][replica],
        SVC_HOST: '127.0.0.1',
        SVC_METRICS_PORT: '',
        SVC_METRICS_PORT_FILE: '',
      };
      this.#services.push(
        serviceProcess({
          release: () => this.#releaseOf(name, replica === 1 ? this.#oldDist : this.#dist),
          folder,
          name,
          service,
          replica,
          port: ports[name],
          env,
          print: service === 'access-service' ? this.#print : undefined,
        }),
      );
    }
    await this.#addDoors({ ...shared, ...keysOf('gateway') }, copiesOf('gateway'), door);
    await Promise.all(
      this.#services.map(async (process) => {
        process.onExit((how) => {
          if (this.#isReady) this.#keeper.bringBack(process, how);
          else this.#failure ??= new Error(`${process.name} ended with ${how} at its start\n${process.tail()}`);
        });
        await process.start();
      }),
    );
  }

  /** One gateway on the public port; more of them behind it when every service has copies. */
  async #addDoors(shared, copies, port) {
    const host = this.#env.SVC_HOST?.trim() || '127.0.0.1';
    const folder = join(this.#dataDir, 'fleet');
    const ports =
      copies.length === 1
        ? { 'gateway-0': port }
        : await portsOf(
            join(folder, 'doors'),
            copies.map(({ name }) => name),
          );
    for (const { service, replica, name } of copies) {
      const env = { ...shared, SVC_PORT: String(ports[name]), SVC_HOST: host };
      this.#services.push(
        serviceProcess({
          release: () => this.#releaseOf(name, this.#dist),
          folder,
          name: copies.length === 1 ? service : name,
          service,
          replica,
          port: ports[name],
          env,
        }),
      );
    }
    if (copies.length > 1) {
      this.#balancer = new Wire(
        'door',
        copies.map(({ name }) => ({ port: ports[name], ready: readiness(ports[name]) })),
      );
      this.#wires?.add(this.#balancer);
      await this.#balancer.listen(port);
    }
    this.#door = copies.length === 1 ? this.#services.at(-1).url : `http://127.0.0.1:${port}`;
  }

  /** Waits as long as the services do, which wait for their engines; says once a minute for what. */
  async #untilReady() {
    let saidAt = performance.now();
    for (const service of this.#services) {
      for (;;) {
        if (this.#failure) throw this.#failure;
        const missing = await whatIsMissing(service);
        if (missing === null) break;
        if (performance.now() - saidAt >= lineEveryMs) {
          saidAt = performance.now();
          this.#warn(`waiting for ${service.name}: ${missing}`);
        }
        await pause(pollMs);
      }
    }
    if (this.#failure) throw this.#failure;
  }

  /** The services' own: makes the folder, for its owner only, or says in one sentence why not. */
  #dataDirectoryRule() {
    return createRequire(import.meta.url)(join(this.#dist, 'libs', 'platform', 'src', 'settings', 'index.js'))
      .prepareDataDirectory;
  }

  /** Keeps fleet.json true; whole or not at all. */
  #record() {
    const state = {
      gateway: this.#door,
      services: this.#services.map(({ service, replica, pid, url }) => ({ name: service, replica, pid, url })),
      engines: this.#engines.map((engine) => ({
        name: engine.name,
        pid: engine.pid,
        url: engine.given ? withoutSecrets(engine.url) : this.#urlOf(engine),
      })),
      ...(this.#wires ? { wires: this.#wires.control } : {}),
    };
    const file = join(this.#dataDir, 'fleet.json');
    writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
}
