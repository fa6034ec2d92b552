import { Logger } from '@nestjs/common';
import { MemoryReadStore } from '@aos/adapters/memory';
import { Egress, type EgressRequest, type OpenedResponse } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { KeyRing, Sealer, WriterProjections, ReleaseWrites, serviceActor } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import { Webhook } from 'standardwebhooks';
import { LiveBusFeedNotifier } from '../notifiers/feed-notifier.js';
import type { Reaches } from '../feed/reach.js';
import { eventsWorld, orgA } from '../testing/events.fixture.js';
import { webhookDecider } from '../webhook.decider.js';
import type { WebhookRecord } from '../webhook/webhook.events.js';
import { activeWebhooksProjection, webhooksProjection } from '../webhook/webhook.projection.js';
import { WebhookSecrets } from '../webhook/webhook-secrets.js';
import { webhookKind } from '../webhook/webhook.state.js';
import { HookReading } from './hook-reading.js';
import { WebhookMeasures } from './webhook-measures.js';
import { DeliveryParts, WebhookRunner } from './webhook-runner.js';
import { WebhookSender } from './webhook-sender.js';

Logger.overrideLogger(false);
jest.setTimeout(120_000);

interface Got {
  url: string;
  id: string;
  at: number;
}
type Answer = { status: number; headers?: Record<string, string> } | 'hangs';

/** Endpoints by address, with the answer that each gives. What is not signed as it must be fails the test. */
class Endpoints extends Egress {
  readonly got: Got[] = [];
  readonly secrets = new Map<string, string>();
  answer: (got: Got) => Answer = () => ({ status: 200 });

  constructor(private readonly now: () => number) {
    super();
  }

  override async open({ url, headers, body, signal }: EgressRequest): Promise<OpenedResponse> {
    const secret = this.secrets.get(url);
    if (!secret) throw new Error(`${url} is unknown`);
    new Webhook(secret).verify(Buffer.from(body ?? []).toString('utf8'), headers);
    const got = { url, id: String(headers['webhook-id']), at: this.now() };
    this.got.push(got);
    const answer = this.answer(got);
    if (answer === 'hangs')
      await new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          reject(new Error('ended'));
        });
      });
    const { status, headers: answered = {} } = answer as Exclude<Answer, 'hangs'>;
    return { status, headers: answered, body: (async function* () {})() };
  }

  override sendMail(): Promise<never> {
    return Promise.reject(new Error('no mail leaves this test'));
  }

  override refusal(): null {
    return null;
  }
}

/** A log with its feed, and processes that deliver. */
async function world() {
  const events = eventsWorld();
  const { clock, store, bus, ids, leases } = events;
  const readStore = events.readStore as MemoryReadStore;
  jest.spyOn(Date, 'now').mockImplementation(() => clock.now());
  const writers = new WriterProjections(readStore);
  writers.register(webhooksProjection);
  writers.register(activeWebhooksProjection);
  const decisions = memoryDecisions({ store, clock, bus, ids, writers });
  const secrets = new WebhookSecrets(new Sealer(new KeyRing([{ keyId: 'k1', secret: Buffer.alloc(32, 7) }])), ids);
  const endpoints = new Endpoints(() => clock.now());
  const reaches = { of: () => ({ includes: () => Promise.resolve(true) }) } as unknown as Reaches;
  const feed = events.feed();
  const projector = events.projector();
  projector.start();
  const made: WebhookRunner[] = [];
  const start = () => {
    const parts = new DeliveryParts(
      store,
      new HookReading(readStore, feed, reaches),
      new WebhookSender(endpoints, secrets, clock),
      new LiveBusFeedNotifier(bus),
      new WebhookMeasures(),
      clock,
      ids,
    );
    const writes = new ReleaseWrites(decisions, { writes: 'current' });
    const runner = new WebhookRunner(parts, decisions, readStore, leases, bus, { leaseSeconds: 15 }, writes);
    runner.onApplicationBootstrap();
    made.push(runner);
    return runner;
  };
  const hook = async (url: string): Promise<string> => {
    const id = `hook_${ids.ulid().toLowerCase()}`;
    const { secret, sealed } = secrets.made(orgA, id, 1);
    endpoints.secrets.set(url, secret);
    const webhook: WebhookRecord = {
      id,
      org_id: orgA,
      url,
      event_types: ['session.*'],
      source_kinds: null,
      description: null,
      status: 'active',
      disabled: null,
      signing: { version: 1, sealed, previous: null },
      start: { number: 1, position: await feed.head(orgA), after: await store.end() },
      created_by: 'user_1',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
    };
    await decisions.decide(webhookDecider.createWebhook, id, serviceActor(orgA, 'user_1', 'test'), { webhook });
    return id;
  };
  const session = 'ses_00000000000000000000000001';
  await events.sessions.open(session, orgA);
  const say = async (count: number) => {
    for (let n = 0; n < count; n += 1) await events.sessions.say(session, orgA);
  };
  /** Time passes until it holds. */
  const inTime = (what: string, holds: () => boolean | Promise<boolean>, stepMs = 200) =>
    eventually(
      what,
      async () => {
        clock.advance(stepMs);
        for (let n = 0; n < 5; n += 1) await new Promise(setImmediate);
        return holds();
      },
      90_000,
    );
  const close = async () => {
    await Promise.all(made.map((runner) => runner.onApplicationShutdown()));
    await projector.close();
    jest.restoreAllMocks();
  };
  const taken = (url: string) => new Set(endpoints.got.filter((got) => got.url === url).map(({ id }) => id));
  const state = async (id: string) => (await decisions.load(webhookKind, id)).state.webhook;
  return { ...events, endpoints, start, hook, say, inTime, close, taken, state };
}

const url = 'https://one.example/events';

describe('deliveries of web hooks', () => {
  it('TE122: an endpoint that is away for an hour is asked with its oldest event, then gets each once more', async () => {
    const { clock, endpoints, start, hook, say, inTime, close, taken } = await world();
    endpoints.answer = () => ({ status: 503 });
    await hook(url);
    start();
    await say(20);
    const from = clock.now();
    await inTime('an hour is over', () => clock.now() - from > 3_600_000, 2_500);
    const during = endpoints.got.length;
    const asked = endpoints.got.filter(({ at }) => at - from > 60_000);
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
    expect(during).toBeLessThan(40);
    endpoints.answer = () => ({ status: 200 });
    await inTime('all arrived', () => new Set(endpoints.got.slice(during).map(({ id }) => id)).size === 20, 2_500);
    expect(endpoints.got.slice(during)).toHaveLength(20);
    expect(taken(url).size).toBe(20);
    await close();
  });

  it('TE122: 1,000 events arrive each once, at a hundred a second and no faster (TE124)', async () => {
    const { clock, endpoints, start, hook, say, inTime, close, taken } = await world();
    await hook(url);
    const runner = start();
    await inTime('it delivers', () => runner.active);
    const from = clock.now();
    await say(1_000);
    await inTime('all arrived', () => taken(url).size === 1_000, 500);
    expect(clock.now() - from).toBeGreaterThan(8_800);
    expect(endpoints.got).toHaveLength(1_000);
    await close();
  });

  it('TE124: one that hangs delays no other', async () => {
    const { endpoints, start, hook, say, inTime, close, taken } = await world();
    const hanging = 'https://hangs.example/events';
    endpoints.answer = (got) => (got.url === hanging ? 'hangs' : { status: 200 });
    await hook(hanging);
    await hook(url);
    start();
    await say(100);
    await inTime('the other one has all', () => taken(url).size === 100);
    expect(endpoints.got.filter((got) => got.url === hanging)).toHaveLength(8);
    await close();
  });

  it('TE123: 410 disables at once; what comes is kept for later', async () => {
    const { endpoints, start, hook, say, inTime, close, state } = await world();
    endpoints.answer = () => ({ status: 410 });
    const id = await hook(url);
    start();
    await say(3);
    await inTime('disabled', async () => (await state(id))?.status === 'disabled');
    expect((await state(id))?.disabled?.reason).toBe('gone');
    await close();
  });

  it('TE122: a process that takes over goes on: every event arrives, and one process delivers in the end', async () => {
    const { endpoints, leases, start, hook, say, inTime, close, taken } = await world();
    await hook(url);
    const first = start();
    await say(30);
    await inTime('some arrived', () => taken(url).size >= 10, 20);
    const [holder] = await leases.holders(['webhooks']);
    await leases.release('webhooks', holder ?? ''); // as if it had been silent for too long
    const second = start();
    await say(30);
    await inTime('all arrived', () => taken(url).size === 60);
    await inTime('one delivers', () => [first, second].filter(({ active }) => active).length === 1);
    expect(endpoints.got.length).toBeGreaterThanOrEqual(60);
    await close();
  });
});
