import 'reflect-metadata';
import type { JsonObject } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import { CountedService } from './testing/counted-service.js';

const turns = 100;
const turnMs = 20;
const gatherMs = 500;
const askedMs = 1000; // a start reads what it goes on from, and who asked is taken to ask again so long

let service: CountedService;
let turn: JsonObject;

beforeAll(async () => {
  service = await CountedService.start({ alone: true, gathers: true });
  const agent = { name: 'counted', model: 'svc-scripted-1', visibility: 'organization' };
  const { id = null } = await service.call('POST', '/v1/agents', agent);
  turn = { agent_ref: { id }, session: { mode: 'new' }, input: { content: [{ type: 'text', text: 'tokens=50' }] } };
});

afterAll(() => service.stop());

beforeEach(async () => {
  await service.streamed('/v1/agents/invoke', turn);
  await service.settled();
  service.pass(askedMs);
  await service.settled();
});

const messagesOfTurn = 2;
const messagesIn = (frames: string) => frames.split('event: session.message.created').length - 1;

test('TP8: 100 turns without lists are at most one transaction of the views per 500 ms', async () => {
  const [before, from] = [service.viewsTransactions, service.elapsedMs];
  for (let n = 0; n < turns; n += 1) {
    await service.streamed('/v1/agents/invoke', turn);
    service.pass(turnMs);
  }
  await service.settled();
  const transactions = service.viewsTransactions - before;
  expect(transactions).toBeGreaterThan(0);
  expect(transactions).toBeLessThanOrEqual((service.elapsedMs - from) / gatherMs + 1);
});

test('TP9: what a busy process does within 500 ms is one transaction, and not what it is behind with', async () => {
  const busy = 120; // turns, of more events and rows than a batch or a transaction once had
  const [before, from] = [service.viewsTransactions, service.elapsedMs];
  for (let n = 0; n < busy; n += 1) await service.streamed('/v1/agents/invoke', turn);
  expect(service.elapsedMs).toBe(from);
  service.pass(gatherMs / 10);
  await service.settled();
  const transactions = service.viewsTransactions - before;
  expect(transactions).toBeGreaterThan(0);
  expect(transactions).toBeLessThanOrEqual((service.elapsedMs - from) / gatherMs + 1);
});

test('TP10: who follows the feed is given events while no time passes', async () => {
  const feed = await service.follow('/v1/events/stream');
  for (let n = 0; n < 5; n += 1) {
    const from = service.elapsedMs;
    await service.streamed('/v1/agents/invoke', turn);
    await eventually('the turn has left', () => messagesIn(feed.text()) === messagesOfTurn * (n + 1));
    expect(service.elapsedMs).toBe(from);
    service.pass(askedMs); // a follower asks for nothing, and rows are still waited for
  }
  await feed.leave();
});

test('TP10: who lists the feed, and asks again, finds events while no time passes', async () => {
  const newest = async () => (await service.call('GET', '/v1/events?order=desc&limit=2'))['items'] as JsonObject[];
  const [from, before] = [service.elapsedMs, (await newest()).map((event) => JSON.stringify(event))];
  expect(before).toHaveLength(messagesOfTurn);
  service.pass(askedMs);
  await service.streamed('/v1/agents/invoke', turn);
  await eventually('the turn is listed', async () =>
    (await newest()).every((event) => !before.includes(JSON.stringify(event))),
  );
  expect(service.elapsedMs).toBe(from + askedMs);
});
