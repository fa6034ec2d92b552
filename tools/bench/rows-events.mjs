// Source events: how soon they are on the feed's stream in one process.
import { caller, p95, paced, percentiles } from './client.mjs';
import { pause, startService } from './processes.mjs';
import { invocation, makeAgent, tokens } from './requests.mjs';

const rates = [50, 200];
const feedSeconds = 8;
const eventsOfTurn = 2;
const untilMs = 180_000;

/** Follows the stream; calls `told(envelope)` as frames come. */
async function follow({ url, key }, told) {
  const abort = new AbortController();
  const response = await fetch(`${url}/v1/events/stream`, {
    headers: { authorization: `Bearer ${key}` },
    signal: abort.signal,
  });
  const decoder = new TextDecoder();
  let rest = '';
  const reading = (async () => {
    for await (const chunk of response.body) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = parts.pop();
      for (const part of parts) if (!part.startsWith(':')) told(JSON.parse(part.slice(part.indexOf('\ndata: ') + 7)));
    }
  })().catch((error) => {
    if (error.name !== 'AbortError') throw error;
  });
  return {
    close: async () => {
      abort.abort();
      await reading;
    },
  };
}

/** One process, turns at a fixed rate: from the record of an event to its frame. */
export async function feed(report) {
  for (const rate of rates) {
    const server = await startService();
    const client = caller(server, 64);
    const agent = await makeAgent(client);
    const lags = [];
    const stream = await follow(server, ({ meta }) => {
      lags.push(Date.now() - Date.parse(meta.received_at));
    });
    let admitted = 0;
    const reached = await paced(rate, feedSeconds, async () => {
      await client.send('POST', '/v1/agents/invoke', invocation(agent, tokens(5)));
      admitted += 1;
    });
    for (const until = performance.now() + untilMs; lags.length < admitted * eventsOfTurn && performance.now() < until;)
      await pause(20);
    await stream.close();
    await client.close();
    await server.stop();
    const { p50, p99 } = percentiles(lags);
    report('feed', `${reached.toFixed(0)} turns/s: recorded to seen on the stream, p50 / p99, ms`, {
      ours: p50,
      other: p99,
    });
    report('feed', `${reached.toFixed(0)} turns/s: recorded to seen on the stream, p95, ms`, {
      ours: p95(lags),
      aim: '<= 100',
    });
  }
}
