import { connect, type Socket } from 'node:net';
import { OwnService } from '../harness/embedded.js';
import { endlessScript, createAgent, eventually, invoke, invokeBody, unique, type Client } from '../harness/index.js';

const perKind = 1_000;
const atOnce = 50;
/** Above what is open at once, and far below what is opened in all. */
const cap = 60;

let service: OwnService;
let api: Client;
let sessionId: string;
let agentId: string;

beforeAll(async () => {
  service = await OwnService.start({
    SVC_STREAMS_PER_KEY: String(cap),
    SVC_STREAMS_PER_ORG: String(cap),
    SVC_STREAMS_PER_PROCESS: String(cap),
  });
  api = service.client;
  agentId = (await createAgent(api)).id;
  sessionId = (await invoke(api, agentId, endlessScript)).session_id;
});
afterAll(() => service.remove());

function bytesOf(method: string, path: string, headers: Record<string, string>, body?: object): string {
  const text = body ? JSON.stringify(body) : '';
  const lines = {
    host: 'x',
    authorization: `Bearer ${api.key ?? ''}`,
    ...headers,
    ...(body ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) } : {}),
  };
  return `${method} ${path} HTTP/1.1\r\n${Object.entries(lines)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${text}`;
}

function opened(bytes: string): Socket {
  const { hostname, port } = new URL(api.baseUrl);
  const socket = connect(Number(port), hostname, () => {
    socket.write(bytes);
  });
  socket.on('error', () => undefined);
  return socket;
}

/** Sends a request and resets the connection: at once, a moment later, or when the answer begins. */
function broken(bytes: string, number: number): Promise<void> {
  const socket = opened(bytes);
  const reset = () => {
    socket.resetAndDestroy();
  };
  if (number % 3 === 0)
    socket.once('connect', () => {
      setImmediate(reset);
    });
  else if (number % 3 === 1)
    socket.once('connect', () => {
      setTimeout(reset, number % 20);
    });
  else socket.once('data', reset);
  return new Promise((resolve) => {
    socket.once('close', () => {
      resolve();
    });
  });
}

async function gauge(name: string): Promise<number> {
  const text = await (await fetch(`${api.baseUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

const key = unique('inline');
const stream = { accept: 'text/event-stream' };
const kinds: [string, (number: number) => string][] = [
  ['v1 streams', () => bytesOf('GET', `/v1/sessions/${sessionId}/stream`, stream)],
  ['v2 streams', () => bytesOf('GET', `/v1/sessions/${sessionId}/transcript/stream`, stream)],
  [
    'inline invokes of one running turn',
    () =>
      bytesOf(
        'POST',
        '/v1/agents/invoke',
        stream,
        invokeBody(agentId, endlessScript, { key, session: { session_key: key } }),
      ),
  ],
  [
    'inline turns',
    () =>
      bytesOf('POST', `/v1/sessions/${sessionId}/turns`, stream, {
        input: { content: [{ type: 'text', text: endlessScript }], idempotency_key: key },
      }),
  ],
  ['streams of events', () => bytesOf('GET', '/v1/events/stream', stream)],
  [
    'worker sockets',
    () =>
      bytesOf('GET', '/v1/workers/socket', {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      }),
  ],
];

describe('connections that break off while they are opened (rules L16, T27)', () => {
  it.each(kinds)('a thousand %s give their slots back', async (_kind, bytes) => {
    for (let done = 0; done < perKind; done += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, (_, number) => broken(bytes(done + number), number)));
    }
    await eventually(
      'the gauges to be at zero',
      async () => (await gauge('http_streams_open')) === 0 && (await gauge('http_sockets_open')) === 0,
    );
    const all = Array.from({ length: cap }, () => opened(bytesOf('GET', `/v1/sessions/${sessionId}/stream`, stream)));
    const heads = await Promise.all(
      all.map(
        (socket) =>
          new Promise<string>((resolve) => {
            socket.once('data', (chunk: Buffer) => {
              resolve(chunk.toString('latin1', 0, 12));
            });
          }),
      ),
    );
    for (const socket of all) socket.destroy();
    expect(new Set(heads)).toEqual(new Set(['HTTP/1.1 200']));
    await eventually('the gauge to be at zero again', async () => (await gauge('http_streams_open')) === 0);
  });
});
