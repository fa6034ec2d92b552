// The load: requests over a fixed number of connections, and event streams read from raw sockets. The same client meets
// every server.
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

const untilMs = 120_000;
const tickMs = 10;

/** A caller with one key over at most `connections` connections. */
export function caller({ url, key }, connections = 16) {
  const pool = new Pool(url, { connections, pipelining: 1, bodyTimeout: untilMs, headersTimeout: untilMs });
  const answerOf = async (method, path, body, headers) => {
    const answer = await pool.request({
      method,
      path,
      body: body === undefined ? null : JSON.stringify(body),
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    if (answer.statusCode < 300) return answer.body;
    const text = await answer.body.text();
    throw new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 500)}`);
  };
  const call = async (method, path, body, headers = {}) => (await answerOf(method, path, body, headers)).text();
  return {
    connections,
    send: call,
    post: async (path, body) => JSON.parse(await call('POST', path, body)),
    get: async (path) => JSON.parse(await call('GET', path)),
    /** Starts a turn and reads its stream to the end. */
    streamed: (path, body) => call('POST', path, body, { accept: 'text/event-stream' }),
    /** As `streamed`; gives the time to the first bytes that hold `marker`, and to the end, in milliseconds. */
    timed: async (path, body, marker) => {
      const began = performance.now();
      const stream = await answerOf('POST', path, body, { accept: 'text/event-stream' });
      let first = null;
      for await (const chunk of stream) if (first === null && chunk.includes(marker)) first = performance.now();
      if (first === null) throw new Error(`${path}: a stream without ${marker}`);
      return { first: first - began, last: performance.now() - began };
    },
    close: () => pool.close(),
  };
}

/**
 * Calls `work(index)` `count` times, `connections` at once; gives calls a second, p50 and p99, the time of all and the
 * times of each, in milliseconds.
 */
export async function repeat(connections, count, work) {
  const times = [];
  let next = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < count) {
        const index = next++;
        const began = performance.now();
        await work(index);
        times.push(performance.now() - began);
      }
    }),
  );
  const ms = performance.now() - startedAt;
  return { ...percentiles(times), perSecond: count / (ms / 1000), ms, times };
}

export function percentiles(times) {
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return { p50: at(0.5), p99: at(0.99) };
}

export function p95(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
}

/**
 * Calls `work` `rate` times a second for some seconds, whatever becomes of the calls before, unless too many are open;
 * gives the rate that was reached.
 */
export async function paced(rate, seconds, work, { atOnce = 200 } = {}) {
  const open = new Set();
  const began = performance.now();
  let done = 0;
  while (performance.now() - began < seconds * 1000) {
    for (
      const due = Math.floor(((performance.now() - began) / 1000) * rate);
      done < due && open.size < atOnce;
      done += 1
    ) {
      const call = work(done).finally(() => open.delete(call));
      open.add(call);
    }
    await pause(tickMs);
  }
  const reached = done / ((performance.now() - began) / 1000);
  await Promise.all(open);
  return reached;
}

/**
 * Opens `count` streams of one path each; resolves when every one has had its first bytes. Frames are counted, not
 * parsed.
 */
export async function openStreams({ url, key }, paths) {
  const { hostname, port } = new URL(url);
  const counted = { frames: 0, bytes: 0, closed: 0, sample: '' };
  const sockets = [];
  for (let from = 0; from < paths.length; from += 100) {
    await Promise.all(
      paths.slice(from, from + 100).map(
        (path) =>
          new Promise((resolve, reject) => {
            const socket = connect({ host: hostname, port: Number(port) });
            sockets.push(socket);
            socket.once('error', reject);
            socket.write(
              `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\naccept: text/event-stream\r\n\r\n`,
            );
            socket.once('data', (chunk) => {
              if (!chunk.toString('latin1', 0, 12).endsWith('200'))
                reject(new Error(`${path}: ${chunk.toString('utf8', 0, 600)}`));
              resolve();
            });
            socket.on('data', (chunk) => {
              count(chunk, counted);
            });
            socket.on('close', () => {
              counted.closed += 1;
            });
          }),
      ),
    );
  }
  return {
    counted,
    close: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function count(chunk, counted) {
  counted.bytes += chunk.length;
  if (counted.sample.length < 4_000) counted.sample += chunk.toString('utf8', 0, 4_000);
  for (let at = chunk.indexOf('\n\n'); at >= 0; at = chunk.indexOf('\n\n', at + 2)) counted.frames += 1;
}
