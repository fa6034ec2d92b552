import { organizationIdentity } from '@aos/access/published';
import { MemoryReadStore } from '@aos/adapters/memory';
import { type Clock, Egress, EgressFailure, type EgressRequest, type OpenedResponse, rfc3339 } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { KeyRing, Sealer, WriterProjections, ReleaseWrites, serviceActor } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import { Webhook } from 'standardwebhooks';
import { LiveBusFeedNotifier } from '../notifiers/feed-notifier.js';
import type { Reaches } from '../feed/reach.js';
import { eventsWorld, orgA } from './events.fixture.js';
import { webhookDecider } from '../webhook.decider.js';
import type { WebhookRecord } from '../webhook/webhook.events.js';
import { activeWebhooksProjection, webhooksProjection } from '../webhook/webhook.projection.js';
import { WebhookSecrets } from '../webhook/webhook-secrets.js';
import { webhookKind } from '../webhook/webhook.state.js';
import { HookReading } from '../webhook-deliveries/hook-reading.js';
import { WebhookMeasures } from '../webhook-deliveries/webhook-measures.js';
import { DeliveryParts, WebhookRunner } from '../webhook-deliveries/webhook-runner.js';
import { WebhookSender } from '../webhook-deliveries/webhook-sender.js';
import { RedeliverWebhookEventsHandler } from '../webhooks/redelivery.handlers.js';
import { WebhookDirectory } from '../webhooks/webhook-directory.js';
import { WebhookRoom } from '../webhooks/webhook-room.js';
import { RedeliverWebhookEvents } from '../webhooks/webhooks.commands.js';

/** A delivery as an endpoint gets it. */
export interface Got {
  url: string;
  id: string;
  at: number;
  body: string;
}
/** `refused`: nothing arrives; `hangs`: until the sender ends it; `late`: it ends by the time-out. */
export type Answer = { status: number; headers?: Record<string, string> } | 'hangs' | 'late' | 'broken' | 'refused';

/** Endpoints by address, with the answer that each gives. What is not signed as it must be fails the test. */
class Endpoints extends Egress {
  readonly got: Got[] = [];
  readonly secrets = new Map<string, string>();
  answer: (got: Got) => Answer = () => ({ status: 200 });

  constructor(private readonly clock: Clock) {
    super();
  }

  override async open({ url, headers, body, signal, timeoutMs }: EgressRequest): Promise<OpenedResponse> {
    const secret = this.secrets.get(url);
    if (!secret) throw new Error(`${url} is unknown`);
    const text = Buffer.from(body ?? []).toString('utf8');
    new Webhook(secret).verify(text, headers);
    const got = { url, id: String(headers['webhook-id']), at: this.clock.now(), body: text };
    const answer = this.answer(got);
    if (answer === 'refused') throw new EgressFailure('unreachable', false, 'no connection');
    this.got.push(got);
    if (answer === 'broken') throw new EgressFailure('unreachable', true, 'the connection broke');
    if (answer === 'late')
      await new Promise((_resolve, reject) => {
        this.clock.after(timeoutMs, () => reject(new EgressFailure('timeout', true, 'no answer in time')));
      });
    if (answer === 'hangs')
      await new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          reject(new Error('ended'));
        });
      });
    const { status, headers: answered = {} } = answer as Exclude<Answer, string>;
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
export async function webhooksWorld() {
  const events = eventsWorld();
  const { clock, store, bus, ids, leases } = events;
  const readStore = events.readStore as MemoryReadStore;
  jest.spyOn(Date, 'now').mockImplementation(() => clock.now());
  const writers = new WriterProjections(readStore);
  writers.register(webhooksProjection);
  writers.register(activeWebhooksProjection);
  const decisions = memoryDecisions({ store, clock, bus, ids, writers });
  const secrets = new WebhookSecrets(new Sealer(new KeyRing([{ keyId: 'k1', secret: Buffer.alloc(32, 7) }])), ids);
  const endpoints = new Endpoints(clock);
  const reaches = { of: () => ({ includes: () => Promise.resolve(true) }) } as unknown as Reaches;
  const feed = events.feed();
  const projector = events.projector();
  projector.start();
  const made: WebhookRunner[] = [];
  const reading = new HookReading(readStore, feed, reaches);
  const writes = new ReleaseWrites(decisions, { writes: 'current' });
  const newParts = () =>
    new DeliveryParts(
      store,
      reading,
      new WebhookSender(endpoints, secrets, clock),
      new LiveBusFeedNotifier(bus),
      new WebhookMeasures(),
      clock,
      ids,
    );
  const start = () => {
    const parts = newParts();
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
  const inTime = (
    what: string,
    holds: () => boolean | Promise<boolean>,
    stepMs: number | (() => number) = 200,
    withinMs = 90_000,
  ) =>
    eventually(
      what,
      async () => {
        clock.advance(typeof stepMs === 'number' ? stepMs : stepMs());
        for (let n = 0; n < 5; n += 1) await new Promise(setImmediate);
        return holds();
      },
      withinMs,
    );
  const close = async () => {
    await Promise.all(made.map((runner) => runner.onApplicationShutdown()));
    await projector.close();
    jest.restoreAllMocks();
  };
  const taken = (url: string) => new Set(endpoints.got.filter((got) => got.url === url).map(({ id }) => id));
  /** Goes on where it stood, or at the end of the feed. */
  const enable = async (id: string, from?: 'latest') => {
    const end = { position: await feed.head(orgA), after: await store.end() };
    const command = { orgId: orgA, now: rfc3339(clock.now()), ...(from ? end : { position: null, after: null }) };
    await decisions.decide(webhookDecider.enableWebhook, id, serviceActor(orgA, 'user_1', 'test'), command);
  };
  /** Gives it another address. */
  const move = async (id: string, from: string, to: string) => {
    endpoints.secrets.set(to, endpoints.secrets.get(from) ?? '');
    const command = { orgId: orgA, now: rfc3339(clock.now()), change: { url: to } };
    await decisions.decide(webhookDecider.changeWebhook, id, serviceActor(orgA, 'user_1', 'test'), command);
  };
  /** Has what was received in a time, all until now, sent again; gives how many events that are. */
  const redeliver = async (id: string, time?: { since: string; until: string }): Promise<number> => {
    const directory = new WebhookDirectory(decisions);
    const room = new WebhookRoom(readStore, leases, bus, clock, ids);
    const handler = new RedeliverWebhookEventsHandler(directory, reading, room, writes, decisions, newParts());
    const body = time ?? { since: '2000-01-01T00:00:00.000Z', until: rfc3339(clock.now() + 1) };
    const who = { ...organizationIdentity(orgA, 'test'), principalId: 'user_1' };
    return (await handler.execute(new RedeliverWebhookEvents(who, { webhook_id: id, body }))).events;
  };
  const feedBegin = () => feed.begin(orgA);
  const state = async (id: string) => (await decisions.load(webhookKind, id)).state.webhook;
  return { ...events, endpoints, start, hook, enable, move, redeliver, feedBegin, say, inTime, close, taken, state };
}
