// The embedded service under the inspector: started on files of its own, asked over HTTP, watched through the protocol.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../ports.mjs';

const readyMs = 30_000;
const outputMax = 20_000;
const inspectorLine = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/;

/** Calls `look` every 20 ms until it gives something, at most `withinMs`. */
export async function awaited(what, look, withinMs = readyMs) {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`${what} did not come within ${withinMs} ms`);
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

/** Takes the folder of a build. Gives the running service: `call`, `as`, `command` (of the inspector), `stop`. */
export async function startInspected(built) {
  const folder = mkdtempSync(join(tmpdir(), 'aos-walks-'));
  const key = `walks_owner_${randomBytes(24).toString('hex')}`;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', join(built, 'apps/embedded/src/main.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      SVC_PORT: String(port),
      SVC_DATA_DIR: folder,
      SVC_BOOTSTRAP_ORG: 'Walks',
      SVC_BOOTSTRAP_OWNER_KEY: key,
      SVC_LOG_LEVEL: 'warn',
      SVC_RATE_LIMIT_KEY_RPM: '0',
      SVC_RATE_LIMIT_ORG_RPM: '0',
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-outputMax);
    });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const stop = async () => {
    process.off('exit', end);
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      end();
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const isReady = async () => {
      if (child.exitCode !== null) throw new Error(`the service ended:\n${output}`);
      return fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    };
    await awaited('the service', isReady);
    const [address] = await awaited('the inspector', () => inspectorLine.exec(output));
    const inspector = await connected(address);
    return { ...caller(url, key), command: inspector.command, stop: () => inspector.close().then(stop) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A caller with this key: `call` refuses every status but 2xx. */
function caller(url, key) {
  return {
    as: (other) => caller(url, other),
    async call(method, path, body) {
      const answer = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
      return JSON.parse(text);
    },
  };
}

async function connected(address) {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const waiting = new Map();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(data);
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error) asked?.reject(new Error(`${asked.method}: ${error.message}`));
    else asked?.resolve(result);
  });
  socket.addEventListener('close', () => {
    for (const { method, reject } of waiting.values()) reject(new Error(`${method}: the inspector is gone`));
  });
  return {
    command(method, params = {}) {
      last += 1;
      const id = last;
      return new Promise((resolve, reject) => {
        waiting.set(id, { method, resolve, reject });
        socket.send(JSON.stringify({ id, method, params }));
      });
    },
    async close() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}
