// Redis as the fleet wants it: append-only file, no eviction.
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { Engine, portsOf } from './engine.mjs';
import { installRedis } from './install.mjs';

const PROBE_TIMEOUT_MS = 1_000;

/** Resolves when Redis answers PONG; rejects while it loads or is not there. */
function ping(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.setTimeout(PROBE_TIMEOUT_MS, () => { socket.destroy(new Error('timeout')); });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed')));
    socket.once('connect', () => { socket.write('PING\r\n'); });
    socket.once('data', (bytes) => {
      const answer = bytes.toString().trim();
      if (answer === '+PONG') resolve();
      else reject(new Error(answer));
      socket.destroy();
    });
  });
}

/** Takes a folder; gives an engine that is not started yet, with its `url`. `cluster`: one node that owns every slot, for tests of cluster mode. */
export async function redisEngine(folder, { detached = false, cluster = false } = {}) {
  const command = installRedis();
  mkdirSync(folder, { recursive: true });
  const { redis: port } = await portsOf(folder, ['redis']);
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no', '--set-proc-title', 'no', '--save', '',
    '--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'];
  if (cluster) args.push('--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf', '--cluster-port', String(await portOfBus(folder)));
  const engine = new Engine({ name: 'redis', folder, detached, command, args, probe: () => ping(port) });
  engine.url = `redis://127.0.0.1:${port}`;
  return engine;
}

async function portOfBus(folder) {
  return (await portsOf(folder, ['redis', 'bus'])).bus;
}
