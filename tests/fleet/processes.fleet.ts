import {
  type Agent,
  type Answer,
  Client,
  createAgent,
  eventually,
  invoke,
  readTurn,
  reaches,
  unique,
} from '../harness/index.js';
import { expectWholeOnce, followed, slowScript, snapshotOf, startTurns } from './conversations.js';
import { crash, replicas, serviceBack } from './fleet.js';

const api = Client.owner();
/** Every turn is seen to run, and followed, before it ends, also on a slow machine. */
const stillRunningMs = 6_000;
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('fleet') });
});

describe('a service that is killed', () => {
  it('invariant 17: turns of a killed session-service end well, each step once, and reads go on meanwhile', async () => {
    const turns = await startTurns(api, agent, 8, slowScript(stillRunningMs));
    await Promise.all(turns.map((turn) => reaches(api, turn, 'running')));
    const [victim, other] = replicas('session-service');
    if (!victim || !other) throw new Error('two copies of session-service are needed');
    const pid = crash(victim);
    for (const turn of turns) await readTurn(api, turn);
    await Promise.all(turns.map((turn) => expectWholeOnce(api, turn)));
    await serviceBack(victim, pid);
    await expectWholeOnce(api, await invoke(api, agent.id, slowScript(0)));
  });

  it('invariant 30: followers of a killed stream-service resume from their cursors and miss nothing', async () => {
    const turns = await startTurns(api, agent, 4, slowScript(2 * stillRunningMs));
    let open = 0;
    const following = Promise.all(
      turns.map((turn) =>
        followed(api, turn, () => {
          open += 1;
        }),
      ),
    );
    await eventually('every follower being connected', () => Promise.resolve(open >= turns.length));
    const victims = replicas('stream-service');
    const pids = victims.map(crash);
    const ends = await following;
    for (const [index, { transcript, ids, connections }] of ends.entries()) {
      expect(connections).toBeGreaterThan(1);
      expect(new Set(ids).size).toBe(ids.length);
      expect(transcript.final()).toEqual((await snapshotOf(api, turns[index]?.session_id ?? '')).final());
    }
    await Promise.all(turns.map((turn) => expectWholeOnce(api, turn)));
    await Promise.all(victims.map((victim, index) => serviceBack(victim, pids[index] ?? 0)));
  });

  it.each(['blueprint-service', 'access-service'])(
    '%s comes back with everything it had acknowledged',
    async (name) => {
      const [victim] = replicas(name);
      if (!victim) throw new Error(`there is no ${name}`);
      const pid = crash(victim);
      await serviceBack(victim, pid);
      expect((await api.get<Agent>(`/v1/agents/${agent.id}`)).name).toBe(agent.name);
      const after = await createAgent(api);
      expect((await api.get<Agent>(`/v1/agents/${after.id}`)).id).toBe(after.id);
      await api.get('/v1/roles');
    },
  );

  it('a service that is away is 503 with Retry-After, and never 404 or 401 (G25)', async () => {
    const [victim] = replicas('blueprint-service');
    if (!victim) throw new Error('there is no blueprint-service');
    const pid = crash(victim);
    let isBack = false;
    const back = serviceBack(victim, pid).finally(() => {
      isBack = true;
    });
    const answers: Answer<unknown>[] = [];
    while (!isBack) answers.push(await api.send('GET', '/v1/agents')); // the first ones may still reach it as it dies
    await back;
    const away = answers.filter(({ status }) => status !== 200);
    expect(away.length).toBeGreaterThan(0);
    for (const answer of away) {
      expect(answer).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    await api.get('/v1/agents');
  });
});
