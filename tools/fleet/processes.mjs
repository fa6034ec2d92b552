// What the launcher starts beside Kafka and Redis: the event store's protocol server, and the services.
import { appendFileSync, mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Engine, portsOf } from '../engines/engine.mjs';
import { nodeEnvironment, nodeFlags } from '../node-flags.mjs';

const probeMs = 2_000;

function connects(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.setTimeout(probeMs, () => {
      socket.destroy(new Error('timeout'));
    });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
  });
}

const mainOf = (dist, app) => [...nodeFlags, join(dist, 'apps', app, 'src', 'main.js')];

/** Takes a folder and the build's; gives the event store that is not started yet, with its `url`. */
export async function eventStoreTwin(folder, dist) {
  mkdirSync(folder, { recursive: true });
  const { eventstore: port } = await portsOf(folder, ['eventstore']);
  const engine = new Engine({
    name: 'eventstore',
    folder,
    command: process.execPath,
    args: mainOf(dist, 'eventstore-twin'),
    env: { ...nodeEnvironment, SVC_PORT: String(port), SVC_HOST: '127.0.0.1', SVC_DATA_DIR: folder },
    probe: () => connects(port),
  });
  engine.url = `esdb://127.0.0.1:${port}?tls=false`;
  return engine;
}

/**
 * Gives one copy of a service that is not started yet; it stands when it answers `/healthz`. Each start asks `release`
 * for the folder of the build and for settings beyond `env`. `print` gets the lines it means for people.
 */
export function serviceProcess({ release, folder, name, service, replica, port, env, print }) {
  const host = !env.SVC_HOST || env.SVC_HOST === '0.0.0.0' || env.SVC_HOST === '::' ? '127.0.0.1' : env.SVC_HOST;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const engine = new Engine({
    name,
    folder,
    command: process.execPath,
    args: [],
    probe: async () => {
      const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(probeMs) });
      const { service: answering } = await answer.json();
      if (!answer.ok || answering !== service) throw new Error(`${url} is somebody else`);
    },
    ...(print
      ? {
          onLine: (line) => {
            if (line.startsWith('{')) appendFileSync(engine.log, `${line}\n`);
            else print(line);
          },
        }
      : {}),
  });
  const start = engine.start.bind(engine);
  return Object.assign(engine, {
    service,
    replica,
    url,
    start: () => {
      const { dist, settings } = release();
      engine.args = mainOf(dist, service);
      engine.env = { ...nodeEnvironment, NODE_COMPILE_CACHE: join(dist, 'compile-cache'), ...env, ...settings };
      return start();
    },
  });
}
