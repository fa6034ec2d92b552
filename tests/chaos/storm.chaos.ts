import {
  type Agent,
  type Client as ApiClient,
  ActionServer,
  Client,
  allRows,
  eventsAfter,
  feedEnd,
  invoke,
  person,
  settled,
  unique,
} from '../harness/index.js';
import { listedSessions } from '../fleet/conversations.js';
import { consoleConsumer, publicTopic, taken } from '../fleet/topic.js';
import { storm } from './faults.js';
import { type Conversation, converseUntil, effectAgent, effects, expectOnce, inputOf, patiently } from './load.js';

const seconds = Number(process.env['CHAOS_SECONDS'] ?? 30);
const seed = Number(process.env['CHAOS_SEED'] ?? 1);
const callers = 50;
const askedEveryMs = 2_000;
/** Every turn is final so long after the last fault. */
const finalMsMax = 60_000;
const judgedAtOnce = 16;

jest.setTimeout((seconds + 600) * 1_000);

const api = Client.owner();
let actions: ActionServer;
let agent: Agent;
let effect: string;
let ann: { id: string; client: ApiClient };

beforeAll(async () => {
  actions = await ActionServer.start();
  ({ agent, effect } = await effectAgent(api, actions));
  ann = await person(api);
});
afterAll(() => actions.close());

/** Asks a person and answers for them, over whatever breaks; the subscriber is to be told once. Gives the ids. */
async function askUntil(isOver: () => boolean): Promise<string[]> {
  const path = `/${unique('told')}`;
  const callback = actions.at(path, () => ({ status: 204, body: '' }));
  const asked: string[] = [];
  while (!isOver()) {
    const due = performance.now() + askedEveryMs;
    const body = {
      kind: 'request_information',
      title: unique('q'),
      target_user_ids: [ann.id],
      consumer: { kind: 'http_subscriber', http_subscriber: { callback_url: callback } },
    };
    const id = await patiently('a question', async () => {
      const answer = await api.send('POST', '/v1/interactions', { body });
      return answer.status === 201 ? (answer.body as { id: string }).id : null;
    });
    await patiently(`an answer to ${id}`, async () => {
      const { status } = await ann.client.send('POST', `/v1/interactions/${id}/respond`, { body: { value: 'x' } });
      return status === 200 || status === 409; // an answer whose acknowledgement was lost stands all the same
    });
    asked.push(id);
    await patiently('the next question', () => Promise.resolve(performance.now() >= due || isOver()));
  }
  return asked;
}

/** Each subscriber was told of its question, under one delivery id. */
async function expectToldOnce(ids: readonly string[]): Promise<void> {
  const told = () => {
    const deliveries = new Map<string, Set<string>>();
    for (const { path, body, headers } of actions.requests) {
      if (!path.startsWith('/told-')) continue;
      const id = String(body['interaction_id']);
      deliveries.set(id, (deliveries.get(id) ?? new Set()).add(String(headers['x-svc-delivery-id'])));
    }
    return deliveries;
  };
  await patiently('every subscriber being told', () => Promise.resolve(ids.every((id) => told().has(id))));
  for (const id of ids) expect([id, told().get(id)?.size]).toEqual([id, 1]);
}

/** What one conversation tells the organization's feed when nothing happens. */
async function eventsOfOne(): Promise<string[]> {
  const begin = await feedEnd(api);
  const ack = await invoke(api, agent.id, inputOf(effect, 'calm'));
  expect((await settled(api, ack)).status).toBe('completed');
  return patiently('the events of one conversation', async () => {
    const mine = (await eventsAfter(api, begin)).events.filter(({ source_id: source }) => source === ack.session_id);
    return mine.length >= 2 ? mine.map(({ event_type: type }) => type) : null;
  });
}

/** Every conversation's events are on the feed and on the topic: all of them, in order, none twice. */
async function expectEventsOnce(
  begin: string,
  conversations: readonly Conversation[],
  ofOne: readonly string[],
): Promise<void> {
  const sessions = new Set(conversations.map(({ ack }) => ack.session_id));
  const onFeed = await patiently('the feed having told everything', async () => {
    const events = (await eventsAfter(api, begin)).events.filter(({ source_id: source }) => sessions.has(source));
    return events.length >= sessions.size * ofOne.length ? events : null;
  });
  const perSession = new Map<string, string[]>();
  for (const { source_id: source, event_type: type } of onFeed)
    perSession.set(source, [...(perSession.get(source) ?? []), type]);
  for (const [source, types] of perSession) expect([source, types]).toEqual([source, ofOne]);
  expect(new Set(onFeed.map(({ meta }) => meta.id)).size).toBe(onFeed.length);
  const wanted = new Map(
    [...sessions].map((source) => [
      source,
      onFeed.filter(({ source_id: one }) => one === source).map(({ meta }) => meta.id),
    ]),
  );
  await patiently('the topic having told everything', async () => {
    const byKey = taken(await consoleConsumer(publicTopic));
    for (const [key, records] of byKey) {
      const source = key.split(':').at(-1) ?? '';
      if (wanted.has(source)) expect(records.map(({ headers }) => headers['ce_id'])).toEqual(wanted.get(source));
    }
    return [...wanted.keys()].every((source) => [...byKey.keys()].some((key) => key.endsWith(`:${source}`)));
  });
}

it(`${seconds} s of kills, pauses, cuts and delays of every part under ${callers} callers: nothing is lost, nothing happens twice`, async () => {
  const ofOne = await eventsOfOne();
  const begin = await feedEnd(api);
  let isOver = false;
  const asking = askUntil(() => isOver);
  const load = converseUntil(api, agent, effect, callers, () => isOver, seconds * 1_000 + finalMsMax);
  const faults = await storm(seed, seconds * 1_000);
  isOver = true;
  const calmAt = performance.now();
  const [{ conversations, follows }, asked] = await Promise.all([load, asking]);
  const finalMs = performance.now() - calmAt;
  const unjudged = [...conversations];
  await Promise.all(
    Array.from({ length: judgedAtOnce }, async () => {
      for (let next = unjudged.pop(); next; next = unjudged.pop()) await expectOnce(api, next);
    }),
  );
  await Promise.all(follows);
  const calls = effects(actions, effect);
  for (const { key, ack } of conversations) {
    if (calls.get(key)?.size === 1) continue;
    const results = (await allRows(api, ack.session_id)).flatMap(({ content }) =>
      content.filter(({ type }) => type === 'tool_result'),
    );
    throw new Error(
      `${key} had its effect under ${calls.get(key)?.size ?? 0} delivery ids; its turn was told ${JSON.stringify(results)}`,
    );
  }
  await expectToldOnce(asked);
  const sessions = conversations.map(({ ack }) => ack.session_id).sort();
  await patiently('the list of sessions being whole', async () => {
    const found = new Set(await listedSessions(api, agent.id));
    return sessions.every((id) => found.has(id));
  });
  await expectEventsOnce(begin, conversations, ofOne);
  const again = conversations.filter(({ tries }) => tries > 1).length;
  process.stdout.write(
    [
      `seed ${seed}: ${faults.length} faults in ${seconds} s under ${callers} callers: ${conversations.length} turns acknowledged (${again} after being asked again), each completed once with one effect; ` +
        `${follows.length} streams followed to their end, ${asked.length} callbacks delivered once; all final ${Math.round(finalMs / 1000)} s after the last fault`,
      ...faults,
    ]
      .map((line) => `said: ${line}\n`)
      .join(''),
  );
  expect(finalMs).toBeLessThan(finalMsMax);
});
