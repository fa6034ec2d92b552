// Streams: one session told to many, many that rest, and the transcript.
import { caller, openStreams, percentiles } from './client.mjs';
import { pause, startBare, startService } from './processes.mjs';
import { invocation, makeAgent, readAll, tokens, waiting } from './requests.mjs';

const viewers = 1_000;
const everyMs = 20;
const quietStreams = 5_000;
const quietSessions = 500;
/** One keep-alive of every stream falls into it. */
const keepAliveMs = 15_000;
const transcriptMessages = 1_000;

/** Frames and processor time while `ms` pass. */
async function window(server, counted, ms) {
  const cpu = await server.cpuMs();
  const { frames, bytes } = counted;
  const began = performance.now();
  await pause(ms);
  const seconds = (performance.now() - began) / 1000;
  const told = counted.frames - frames;
  return {
    perSecond: told / seconds,
    cpuUs: (((await server.cpuMs()) - cpu) * 1000) / told,
    frameBytes: Math.round((counted.bytes - bytes) / told),
  };
}

async function serviceFanout(path) {
  const server = await startService();
  const client = caller(server, 2);
  const agent = await makeAgent(client);
  const { session_id: session } = await client.post('/v1/agents/invoke', invocation(agent, tokens(700, everyMs)));
  const streams = await openStreams(
    server,
    Array.from({ length: viewers }, () => path(session)),
  );
  await pause(500);
  const told = await window(server, streams.counted, 5_000);
  const sample =
    streams.counted.sample
      .split('\n\n')
      .filter((frame) => frame.includes('event: '))
      .at(-2) ?? '';
  streams.close();
  await client.close();
  await server.stop();
  return { ...told, sample };
}

async function bareFanout(frameBytes) {
  const server = await startBare();
  const streams = await openStreams(
    server,
    Array.from({ length: viewers }, () => '/stream'),
  );
  const frame = `${'data: '.padEnd(Math.max(8, frameBytes - 2), 'x')}\n\n`;
  await fetch(`${server.url}/frames?count=400&every=${everyMs}`, { method: 'POST', body: frame });
  await pause(500);
  const told = await window(server, streams.counted, 5_000);
  streams.close();
  await server.stop();
  return told;
}

/** One session's text told to 1,000 viewers, a piece every 20 ms. */
export async function fanout(report) {
  for (const [name, path] of [
    ['v1', (session) => `/v1/sessions/${session}/stream`],
    ['v2', (session) => `/v1/sessions/${session}/transcript/stream`],
  ]) {
    const ours = await serviceFanout(path);
    const bare = await bareFanout(ours.frameBytes);
    report('fanout', `${name}: frames/s to ${viewers} viewers (offered ${(1000 / everyMs) * viewers}/s)`, {
      ours: ours.perSecond,
      bare: bare.perSecond,
    });
    report('fanout', `${name}: processor time of a frame of ${ours.frameBytes} bytes, us`, {
      ours: ours.cpuUs,
      bare: bare.cpuUs,
      ratio: ours.cpuUs / bare.cpuUs,
    });
  }
}

/** 5,000 streams on 500 sessions in which nothing happens. */
export async function quiet(report) {
  const server = await startService({ SVC_TURN_CONCURRENCY: '1' });
  const client = caller(server, 16);
  const agent = await makeAgent(client);
  await client.post('/v1/agents/invoke', invocation(agent, waiting(500_000)));
  const sessions = [];
  for (let index = 0; index < quietSessions; index += 1) {
    // stays queued, so that its streams stay open
    sessions.push((await client.post('/v1/agents/invoke', invocation(agent, 'hello'))).session_id);
  }
  await pause(2_000);
  const rss = await server.rssKib();
  const before = await cpuShare(server, 10_000);
  const streams = await openStreams(
    server,
    Array.from(
      { length: quietStreams },
      (_, index) => `/v1/sessions/${sessions[index % quietSessions]}/transcript/stream`,
    ),
  );
  await pause(3_000);
  const grown = (await server.rssKib()) - rss;
  const during = await cpuShare(server, keepAliveMs);
  const { closed } = streams.counted;
  streams.close();
  await client.close();
  await server.stop();
  const bare = await bareQuiet();
  report('quiet', `${quietStreams - closed} streams at rest: KiB each`, {
    ours: grown / quietStreams,
    bare: bare.grown / quietStreams,
    ratio: grown / bare.grown,
    aim: '<= 25',
  });
  report('quiet', 'processor, % of one core (without streams beside it)', {
    ours: during,
    other: before,
    bare: bare.during,
    ratio: during / bare.during,
  });
}

/** As many on the bare server, which keeps them alive as often and does nothing else. */
async function bareQuiet() {
  const server = await startBare();
  await pause(2_000);
  const rss = await server.rssKib();
  const streams = await openStreams(
    server,
    Array.from({ length: quietStreams }, () => '/stream'),
  );
  await pause(3_000);
  const grown = (await server.rssKib()) - rss;
  await fetch(`${server.url}/frames?count=100&every=${keepAliveMs}`, { method: 'POST', body: ': keep-alive\n\n' });
  const during = await cpuShare(server, keepAliveMs);
  streams.close();
  await server.stop();
  return { grown, during };
}

async function cpuShare(server, ms) {
  const cpu = await server.cpuMs();
  const began = performance.now();
  await pause(ms);
  return (((await server.cpuMs()) - cpu) / (performance.now() - began)) * 100;
}

/** A transcript of 1,000 messages: right after a start, and again. */
export async function transcript(report) {
  const first = await startService();
  const writer = caller(first, 1);
  const agent = await makeAgent(writer);
  for (let index = 0; index < transcriptMessages / 2; index += 1)
    await writer.streamed('/v1/agents/invoke', invocation(agent, tokens(50), 'long'));
  const {
    items: [{ id: session }],
  } = await writer.get('/v1/sessions');
  await writer.close();
  await first.stop({ keep: true });
  const server = await startService({}, first);
  const client = caller(server, 1);
  await client.get('/v1/permissions');
  const timed = async (work) => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  const coldPage = await timed(() => client.get(`/v1/sessions/${session}/transcript?limit=100`));
  const cold = await timed(() => readAll(client, session));
  for (let index = 0; index < 10; index += 1) await readAll(client, session);
  const pages = await readAll(client, session);
  const cpuMs = await server.cpuMs();
  const warm = percentiles(await series(30, () => timed(() => readAll(client, session))));
  const cpuOfAll = ((await server.cpuMs()) - cpuMs) / 30;
  const warmPage = percentiles(
    await series(100, () => timed(() => client.get(`/v1/sessions/${session}/transcript?limit=100`))),
  );
  await client.close();
  await server.stop();
  report('transcript', 'newest 100 of 1,000 messages, first after a start, ms', { ours: coldPage });
  report('transcript', 'newest 100 of 1,000 messages, warm p50 / p99, ms', { ours: warmPage.p50, other: warmPage.p99 });
  report('transcript', `all of them in ${pages} pages, first after a start, ms`, { ours: cold });
  report('transcript', `all of them in ${pages} pages, warm p50 / p99, ms`, {
    ours: warm.p50,
    other: warm.p99,
    aim: '7',
  });
  report('transcript', `all of them in ${pages} pages, warm: processor time, ms`, { ours: cpuOfAll, aim: '8' });
}

async function series(count, work) {
  const results = [];
  for (let index = 0; index < count; index += 1) results.push(await work());
  return results;
}
