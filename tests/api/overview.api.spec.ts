import {
  Client,
  anotherOwner,
  callerWith,
  converse,
  createAgent,
  eventually,
  person,
  script,
  unique,
} from '../harness/index.js';

interface Overview {
  waiting_questions: number;
  minutes?: {
    at: string;
    turns: number;
    failed: number;
    input_tokens: number;
    output_tokens: number;
    p50_ms: number | null;
    p95_ms: number | null;
  }[];
  not_ready?: string[];
  lag?: { name: string; ms: number }[];
}

const api = Client.owner();
const overview = (client: Client): Promise<Overview> => client.get<Overview>('/v1/overview');

describe('CO2: the overview', () => {
  it('counts the turns and tokens of the organization, minute by minute', async () => {
    const own = anotherOwner(unique('Counted'));
    const before = await overview(own);
    expect(before.minutes).toHaveLength(60);
    expect(before.minutes?.map(({ turns, p50_ms }) => [turns, p50_ms])).toEqual(Array(60).fill([0, null]));
    const agent = await createAgent(own, { name: unique('counted') });
    await converse(own, agent.id, 'one');
    await converse(own, agent.id, script({ fail: 'broken' }));
    const sums = await eventually('both turns', async () => {
      const { minutes = [] } = await overview(own);
      const sum = (name: 'turns' | 'failed' | 'input_tokens' | 'output_tokens') =>
        minutes.reduce((total, minute) => total + minute[name], 0);
      return (
        sum('turns') === 2 && {
          failed: sum('failed'),
          input: sum('input_tokens'),
          output: sum('output_tokens'),
          minutes,
        }
      );
    });
    expect(sums).toMatchObject({ failed: 1 });
    expect([sums.input > 0, sums.output > 0]).toEqual([true, true]);
    for (const { turns, p50_ms, p95_ms } of sums.minutes) {
      expect([p50_ms === null, p95_ms === null]).toEqual([turns === 0, turns === 0]);
      expect(p50_ms ?? 0).toBeLessThanOrEqual(p95_ms ?? 0);
    }
    const times = sums.minutes.map(({ at }) => Date.parse(at));
    expect(times.every((time, n) => n === 0 || time - (times[n - 1] ?? 0) === 60_000)).toBe(true);
    expect(Math.abs(Date.now() - (times.at(-1) ?? 0))).toBeLessThan(120_000);
  });

  it('names what is not ready and how far projections are behind, to administrators alone', async () => {
    const found = await eventually('nothing not ready', async () => {
      const one = await overview(await callerWith(api, 'Admin'));
      return one.not_ready?.length === 0 && one;
    });
    expect(found.lag?.map(({ name }) => name)).toContain('sessions@2');
    expect(found.lag?.every(({ ms }) => Number.isInteger(ms) && ms >= 0)).toBe(true);
    for (const role of ['User', 'Viewer'] as const)
      expect(Object.keys(await overview(await callerWith(api, role)))).toEqual(['waiting_questions']);
  });

  it('says how many pending questions target the caller', async () => {
    const [ann, bob] = [await person(api), await person(api)];
    const ask = () =>
      api.post<{ id: string }>(
        '/v1/interactions',
        { kind: 'request_information', title: 'Which?', target_user_ids: [ann.id] },
        201,
      );
    const waiting = async (client: Client) => (await overview(client)).waiting_questions;
    expect([await waiting(ann.client), await waiting(bob.client)]).toEqual([0, 0]);
    const { id } = await ask();
    await ask();
    await eventually('both', async () => (await waiting(ann.client)) === 2);
    expect(await waiting(bob.client)).toBe(0);
    await api.post(`/v1/interactions/${id}/cancel`, {});
    await eventually('one', async () => (await waiting(ann.client)) === 1);
  });
});
