// Redis as the fleet wants it: append-only file, no eviction.
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { Engine, portsOf } from './engine.mjs';
import { installRedis } from './install.mjs';

const probeTimeoutMs = 1_000;

/** Sends one command; resolves with the beginning of the answer; rejects when there is none. */
function ask(port, command) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.setTimeout(probeTimeoutMs, () => {
      socket.destroy(new Error('timeout'));
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
    socket.once('connect', () => {
      socket.write(`${command}\r\n`);
    });
    socket.once('data', (bytes) => {
      resolve(bytes.toString().trim());
      socket.destroy();
    });
  });
}

/** Resolves when Redis answers PONG; rejects while it loads or is not there. */
export async function redisAnswers(port) {
  const answer = await ask(port, 'PING');
  if (answer !== '+PONG') throw new Error(answer);
}

/** Resolves when the node owns every slot and serves; gives them to it the first time. */
export async function redisClusterAnswers(port) {
  await redisAnswers(port);
  const info = await ask(port, 'CLUSTER INFO');
  if (info.includes('cluster_state:ok')) return;
  if (info.includes('cluster_slots_assigned:0')) await ask(port, 'CLUSTER ADDSLOTSRANGE 0 16383');
  throw new Error('the cluster is forming');
}

/** Arguments of `redis-server`. With a port for the bus it is a cluster of one node. */
export function redisArguments({ port, bind, busPort = null }) {
  const args = ['--port', String(port), '--bind', bind, '--daemonize', 'no', '--set-proc-title', 'no', '--save', ''];
  args.push('--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction');
  if (busPort === null) return args;
  args.push('--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf');
  return [...args, '--cluster-announce-ip', '127.0.0.1', '--cluster-port', String(busPort)];
}

/**
 * Takes a folder; gives an engine that is not started yet, with its `url`. `cluster`: one node that owns every slot,
 * for tests of cluster mode.
 */
export async function redisEngine(folder, { detached = false, cluster = false } = {}) {
  const command = installRedis();
  mkdirSync(folder, { recursive: true });
  const { redis: port } = await portsOf(folder, ['redis']);
  const busPort = cluster ? await portOfBus(folder) : null;
  const args = [...redisArguments({ port, bind: '127.0.0.1', busPort }), '--dir', folder];
  const engine = new Engine({
    name: 'redis',
    folder,
    detached,
    command,
    args,
    probe: () => (cluster ? redisClusterAnswers(port) : redisAnswers(port)),
  });
  engine.url = `redis://127.0.0.1:${port}`;
  return engine;
}

async function portOfBus(folder) {
  return (await portsOf(folder, ['redis', 'bus'])).bus;
}
