import { readFileSync, writeFileSync } from 'node:fs';
import {
  ActionServer,
  type Agent,
  Client,
  OAuthIssuer,
  createAgent,
  feedEnd,
  feedTells,
  scenario,
  underTest,
  unique,
} from '../harness/index.js';
import { furnish } from '../crash/pending-operations.js';
import { expectWholeOnce, followed, listedSessions, slowScript, startTurns } from '../fleet/conversations.js';
import { fleet, serviceBack } from '../fleet/fleet.js';
import { patiently } from './load.js';
import { callUntil } from './unary-calls.js';

const streamed = 4;
const turnMs = 8_000;
/** Who is asked is upgraded before who asks. */
const order = ['stream', 'access', 'blueprint', 'interaction', 'session']
  .map((service) => `${service}-service`)
  .concat('gateway');

jest.setTimeout(1_800_000);

function given(name: 'BUILD_BEFORE' | 'BUILD_NOW' | 'FLEET_RELEASES'): string {
  const { [name]: value } = process.env;
  if (!value) throw new Error(`${name} is missing: run this suite with \`npm run test:fleet -- upgrade\``);
  return value;
}

/** What a copy of a service runs: a build, and settings beyond those of the fleet. */
interface Release {
  dist: string;
  settings?: Record<string, string>;
}
const before: Release = { dist: given('BUILD_BEFORE') };
const beside: Release = { dist: given('BUILD_NOW'), settings: { SVC_WRITES: 'previous' } };
const now: Release = { dist: given('BUILD_NOW'), settings: { SVC_WRITES: 'current' } };

const api = Client.owner();
const hook = { url: 'https://hooks.example.com/', event_types: ['crm.*'] };
let agent: Agent;
let isOver = false;
let rolls = 0;
const sessions: string[] = [];

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('upgraded') });
});

/** Ends a copy, which comes back as this release. */
async function roll(service: string, replica: number, release: Release): Promise<void> {
  const copy = fleet().services.find((one) => one.name === service && one.replica === replica);
  if (!copy || copy.pid === null) throw new Error(`${service}-${replica} is not running`);
  const file = given('FLEET_RELEASES');
  const releases = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Release>;
  writeFileSync(file, JSON.stringify({ ...releases, [`${service}-${replica}`]: release }));
  process.kill(copy.pid, 'SIGTERM');
  await serviceBack(copy, copy.pid);
  rolls += 1;
}

/** Rolls these copies of each service, while turns are followed over all of it. */
async function rollAll(replicas: readonly number[], release: Release): Promise<void> {
  for (const service of order) {
    const turns = await patiently('turns', () => startTurns(api, agent, streamed, slowScript(turnMs)));
    const follows = Promise.all(turns.map((turn) => followed(api, turn)));
    for (const replica of replicas) await roll(service, replica, release);
    for (const { ids } of await follows) expect(new Set(ids).size).toBe(ids.length);
    for (const turn of turns)
      await patiently('a turn, whole and once', () => expectWholeOnce(api, turn).then(() => true));
    sessions.push(...turns.map(({ session_id: id }) => id));
  }
}

/** What a caller of either release may do comes about, and each copy goes on reading. */
async function expectWhole(): Promise<void> {
  await patiently('the events of what was done', async () => {
    const cursor = await feedEnd(api);
    return feedTells(api, cursor, await scenario(api));
  });
  await patiently('all sessions in their list', async () => {
    const listed = new Set(await listedSessions(api, agent.id));
    return sessions.every((id) => listed.has(id));
  });
  const key = unique('desk');
  const agents = [{ key: 'a', name: `${key}-a`, model: 'svc-scripted-1', system_prompt: 'Be kind.' }];
  const body = { blueprint_key: key, resources: { agents } };
  await patiently('a blueprint', () => api.post<object>('/v1/blueprints/apply', body, 200));
  for (const { name, replica, url } of fleet().services)
    await patiently(`${name}-${replica} to be ready`, async () => (await fetch(`${url}/readyz`)).ok);
}

/** Answers to a new operation: of a copy that knows it, and of one that does not. */
async function answersToNew(): Promise<string[]> {
  const answers = new Set<string>();
  for (let asked = 0; asked < 8; asked += 1) {
    const request = { method: 'POST', headers: api.headers(), body: JSON.stringify(hook) };
    const answer = await fetch(api.url('/v1/webhooks'), request); // not held to a contract that one of them does not have
    const { error } = (await answer.json()) as { error?: { code: string } };
    answers.add(`${answer.status} ${error?.code ?? ''}`);
  }
  return [...answers].sort();
}

it('VER7, TE130, invariant 77: a fleet of the release before is upgraded copy by copy under load: nothing fails, nothing is lost, and what is new works in the end', async () => {
  const load = callUntil(api, agent, () => isOver);
  await expectWhole();

  await rollAll([1], beside);
  await expectWhole();
  for (const answer of await answersToNew()) expect(['404 not_found', '409 upgrade_pending']).toContain(answer);

  await roll('session-service', 1, before); // the way back is open
  await roll('stream-service', 1, before);
  await expectWhole();
  for (const service of ['session-service', 'stream-service']) await roll(service, 1, beside);

  await rollAll([0], beside);
  await expectWhole();
  expect(await answersToNew()).toEqual(['409 upgrade_pending']);

  await rollAll([0, 1], now);
  await expectWhole();
  isOver = true;
  const { calls, failures } = await load;
  const away = failures.filter((failure) => / 503 /.test(failure)); // a loaded machine answers so: try again
  expect(failures.filter((failure) => !away.includes(failure))).toEqual([]);

  const server = await ActionServer.start();
  const issuer = await OAuthIssuer.start(`${underTest().baseUrl}/v1/oauth/callback`);
  try {
    const furniture = await furnish(api, server, issuer);
    for (const { operationId, send } of furniture.calls) {
      const { status, text } = await patiently(operationId, async () => {
        const answer = await send();
        return answer.status !== 503 && answer;
      });
      if (status >= 400) throw new Error(`${operationId}: ${status} ${text}`);
    }
  } finally {
    await Promise.all([server.close(), issuer.close()]);
  }
  process.stdout.write(
    `said: ${rolls} copies went from one release to another, one after the other, under ${calls} calls (${away.length} were asked to try again, none failed) and ${sessions.length} followed turns, each whole and once\n`,
  );
});
afterAll(() => {
  isOver = true;
});
