import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import {
  ActionServer,
  type Found,
  MailServer,
  OAuthIssuer,
  PlantedConnections,
  RecordingClient,
  SecretSearch,
  TraceSink,
  anotherOwner,
  eventually,
  expectNoneKept,
  expectNoneRead,
  expectNoneSentElsewhere,
  showingSecrets,
  underTest,
  unique,
} from '../harness/index.js';
import { engine } from './fleet.js';
import { consoleConsumer, publicTopic } from './topic.js';

jest.setTimeout(600_000);

const settledMs = 120_000;
/** An organization's whole scenario is far smaller. */
const keysMax = 200_000;

/** Each key of Redis with its value as it is kept, uncompressed. */
async function keptInRedis(): Promise<Map<string, Buffer>> {
  const redis = new Redis(engine('redis').url, { lazyConnect: true });
  await redis.connect();
  try {
    await redis.config('SET', 'rdbcompression', 'no');
    const kept = new Map<string, Buffer>();
    for await (const keys of redis.scanStream({ count: 1000 }) as AsyncIterable<string[]>) {
      for (const key of keys) kept.set(key, (await redis.dumpBuffer(key)) ?? Buffer.alloc(0));
      if (kept.size > keysMax) throw new Error(`over ${keysMax} keys`);
    }
    return kept;
  } finally {
    await redis.config('SET', 'rdbcompression', 'yes');
    redis.disconnect();
  }
}

describe('secrets of connections of every kind, at endpoints that echo all they were sent, on a fleet', () => {
  const search = new SecretSearch();
  const found: Found[] = [];
  const folder = process.env['SERVICE_DATA_DIR'] ?? '';
  const sampled = { traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01` };
  let server: ActionServer;
  let issuer: OAuthIssuer;
  let mails: MailServer;
  let traces: TraceSink;
  let planted: PlantedConnections;

  beforeAll(async () => {
    server = await ActionServer.start();
    mails = await MailServer.start();
    traces = await TraceSink.start(Number(process.env['TRACES_PORT']));
    issuer = await OAuthIssuer.start(`${underTest().baseUrl}/v1/oauth/callback`);
    const looks = (asked: string, bytes: string) => {
      if (!showingSecrets.test(asked)) found.push(...search.in(asked, bytes));
    };
    const api = new RecordingClient(anotherOwner(unique('Canaries')), looks, sampled);
    planted = new PlantedConnections(api, search, server, issuer, mails);
    await planted.plant();
    await planted.readAll();
  }, 400_000);

  afterAll(async () => {
    await issuer.close();
    await traces.close();
    await mails.close();
    await server.close();
  });

  it('TE20, TE22: none stands in an answer, a stream, a feed, a measure, a callback or what a worker is given', () => {
    expectNoneRead({ search, planted, found });
  });

  it('TE20, TE21: none came to another address, in an address, or in a body that is no ask for a token', () => {
    expectNoneSentElsewhere({ search, planted, found });
  });

  it('TE20: none stands in a record of the public topic', async () => {
    const records = await eventually(
      'what happened on the topic',
      async () => {
        const text = JSON.stringify(await consoleConsumer(publicTopic));
        return text.includes('[redacted]') && text.includes(planted.marker) && text;
      },
      settledMs,
    );
    expect(search.in(publicTopic, records)).toEqual([]);
  });

  it('TE20: none stands in Redis', async () => {
    const kept = await keptInRedis();
    expect([...kept.values()].some((bytes) => bytes.includes(planted.marker))).toBe(true);
    expect([...kept].flatMap(([key, bytes]) => search.in(key, Buffer.concat([Buffer.from(key), bytes])))).toEqual([]);
  });

  it('TE20: none stands in a file of an engine or a service, in a log line or a span', async () => {
    const kept = { folder, holders: ['eventstore', 'kafka'], traces, span: 'invoke_agent' };
    await expectNoneKept({ search, planted, found }, kept);
  });
});
