// What the machine can do at best: bare node:http, a group-committing SQLite writer, no rules, no contract, no
// identity, no lists.
//   POST / appends as much as an acknowledged invocation of ours does (three events of about 800 bytes, each once by
//   its stream and
//                                revision), and answers 202 with as many bytes when they are on disk
//   POST /turn                   streams a turn {tokens, every}: one row on disk before its first frame, one before its
//                                last. Tokens that come in one turn of the loop are one frame
//   GET  /small                  answers as many bytes as a read of one agent
//   GET  /stream                 an event stream that stays open
//   POST /frames?count=&every=   writes the body that many times to every open stream, one each so many milliseconds
//   GET  /metrics                the processor time of this process
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const eventBytes = 800;
const answerBytes = 1_760;
const agentBytes = 900;
const smallAnswer = '{"id":"agent"}'.padEnd(agentBytes);
/** What a turn of ours leaves in the log, data and metadata, in two halves. */
const halfTurnBytes = 2_100;
const writer = new Worker(new URL('./bare-writer.mjs', import.meta.url), {
  name: 'writer.worker', // as ours
  workerData: { file: join(process.argv[2], 'bare.db') },
});
const waiting = new Map();
const streams = new Set();
let appends = 0;

writer.on('message', (ids) => {
  for (const id of ids) {
    waiting.get(id)();
    waiting.delete(id);
  }
});

function written(message) {
  const id = (appends += 1);
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    writer.postMessage({ id, ...message });
  });
}

function append(body) {
  const id = appends + 1;
  const { input } = JSON.parse(body);
  const event = (type) =>
    JSON.stringify({ type, id, input, at: new Date().toISOString(), rest: '' }).padEnd(eventBytes);
  return written({ stream: `session-${id}`, events: [event('session'), event('message'), event('turn')] });
}

const nextTurnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

async function* tokensOf({ tokens, every }) {
  for (let index = 0; index < tokens; index += 1) {
    if (every > 0 && index > 0) await new Promise((resolve) => setTimeout(resolve, every));
    yield `tok${index} `;
  }
}

async function streamTurn(body, response) {
  const asked = JSON.parse(body);
  await written({ row: JSON.stringify(asked).padEnd(halfTurnBytes) });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const frame = (name, data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  let [text, unsent] = ['', ''];
  const flush = () => {
    if (unsent !== '') response.write(frame('delta', { text: unsent }));
    unsent = '';
  };
  for await (const token of tokensOf(asked)) {
    text += token;
    if (unsent === '') setImmediate(flush);
    unsent += token;
  }
  if (unsent !== '') await nextTurnOfTheLoop();
  await written({ row: JSON.stringify({ text }).padEnd(halfTurnBytes) });
  response.end(frame('message', { text }) + frame('end', { reason: 'idle' }));
}

function writeFrames(frame, count, everyMs) {
  let left = count;
  const timer = setInterval(() => {
    for (const stream of streams) stream.write(frame);
    left -= 1;
    if (left === 0) clearInterval(timer);
  }, everyMs).unref(); // who wants no more frames ends the server
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function answer(request, response) {
  const url = new URL(request.url, 'http://bare');
  if (url.pathname === '/stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': open\n\n');
    streams.add(response);
    response.once('close', () => {
      streams.delete(response);
    });
    return;
  }
  if (url.pathname === '/metrics') {
    const { user, system } = process.cpuUsage();
    response.end(
      `process_cpu_seconds_total ${(user + system) / 1e6}\nprocess_resident_memory_bytes ${process.memoryUsage.rss()}\n`,
    );
    return;
  }
  if (url.pathname === '/small') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(smallAnswer);
    return;
  }
  const body = await bodyOf(request);
  if (url.pathname === '/turn') {
    await streamTurn(body, response);
    return;
  }
  if (url.pathname === '/frames') {
    writeFrames(body, Number(url.searchParams.get('count')), Number(url.searchParams.get('every')));
    response.writeHead(202).end();
    return;
  }
  await append(body);
  response.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"queued"}'.padEnd(answerBytes));
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    response.writeHead(500).end(error.message);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
process.once('SIGTERM', () => {
  writer.postMessage('stop');
  server.close();
  server.closeAllConnections();
});
