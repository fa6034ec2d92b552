import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestPipeline } from './request-pipeline.js';
import { RequestTurns, waitingPerOrganizationMax } from './request-turns.js';

const turnOfTheLoop = () => new Promise(setImmediate);

/** Requests by the names of their organizations, all at once; gives who began in which turn of the loop. */
async function begun(turns: RequestTurns, orgIds: string, nowMs = 0): Promise<string[]> {
  const rounds: string[] = [];
  const now = { round: 0 };
  const begins = (orgId: string) => {
    rounds[now.round] = (rounds[now.round] ?? '') + orgId;
  };
  const all = [...orgIds].map(async (orgId) => {
    const turn = turns.enter(orgId, nowMs);
    if (turn) await turn;
    begins(orgId);
  });
  now.round += 1; // what comes from here on waited
  let isDone = false;
  void Promise.all(all).then(() => {
    isDone = true;
  });
  while (!isDone) {
    await turnOfTheLoop();
    if (!isDone) now.round += 1;
  }
  return rounds;
}

describe('turns of organizations (rule L22)', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('leave an organization alone that sends requests alone: no wait, and nothing armed', async () => {
    const armed = jest.spyOn(globalThis, 'setImmediate');
    const turns = new RequestTurns();
    for (let n = 0; n < 2 * waitingPerOrganizationMax; n += 1) expect(turns.enter('a', n)).toBeNull();
    expect(armed).not.toHaveBeenCalled();
  });

  it('begin one request of each in a turn of the loop', async () => {
    const turns = new RequestTurns();
    void turns.enter('x', 0);
    void turns.enter('y', 0);
    await turnOfTheLoop();
    expect((await begun(turns, 'aaaaabbc')).filter((round) => round !== '')).toEqual(['abc', 'ab', 'a', 'a', 'a']);
  });

  it('let one begin at once that has none waiting, however many another one has', async () => {
    const turns = new RequestTurns();
    void turns.enter('calm', 0);
    const greedy = Array.from({ length: 500 }, () => turns.enter('greedy', 1));
    expect(greedy.filter((turn) => turn === null)).toHaveLength(1);
    for (let n = 0; n < 20; n += 1) {
      await turnOfTheLoop();
      expect(turns.enter('calm', 1)).toBeNull();
    }
    await Promise.all(greedy);
  });

  it('end a second after the last request of another, and arm nothing then', async () => {
    const turns = new RequestTurns();
    void turns.enter('a', 0);
    void turns.enter('b', 0);
    expect(turns.enter('b', 999)).not.toBeNull();
    for (let n = 0; n < 5; n += 1) await turnOfTheLoop();
    const armed = jest.spyOn(globalThis, 'setImmediate');
    expect([turns.enter('b', 1_000), turns.enter('b', 1_000)]).toEqual([null, null]);
    expect(armed).not.toHaveBeenCalled();
  });

  it('let those that wait keep their order when more come after the second', async () => {
    const turns = new RequestTurns();
    void turns.enter('a', 0);
    void turns.enter('b', 0);
    const order: number[] = [];
    const all = [0, 1, 2].map(async (n) => {
      const turn = turns.enter('b', n * 1_000);
      if (turn) await turn;
      order.push(n);
    });
    await Promise.all(all);
    expect(order).toEqual([0, 1, 2]);
  });

  it('refuse an organization that has too many waiting, and all when all have', async () => {
    const turns = new RequestTurns({ perOrganization: 3, all: 5 });
    for (const orgId of ['a', 'b', 'a']) expect(turns.enter(orgId, 0)).toBeNull();
    const waiting = ['a', 'a', 'a', 'b', 'b'].map((orgId) => turns.enter(orgId, 0));
    expect(waiting).not.toContain(null);
    const refused = (orgId: string) => {
      try {
        void turns.enter(orgId, 0);
      } catch (error) {
        return error;
      }
      return null;
    };
    expect(refused('a')).toMatchObject({
      code: 'rate_limit_exceeded',
      details: { scope: 'org', limit_waiting: 3 },
      headers: { 'retry-after': '1' },
    });
    expect(refused('b')).toMatchObject({ code: 'service_unavailable', headers: { 'retry-after': '1' } });
    expect(refused('c')).toBeNull(); // it has none waiting: it begins
    await Promise.all(waiting);
    expect(refused('a')).toBeNull();
  });
});

test('L22: the pipeline has the requests of several organizations take turns', async () => {
  const pipeline = new RequestPipeline({
    identities: () => ({
      identify: async ({ authorization }: { authorization: string }) => ({ orgId: authorization }),
    }),
    limiter: () => null,
  } as unknown as ConstructorParameters<typeof RequestPipeline>[0]);
  const reply = { header: () => reply } as unknown as FastifyReply;
  const order: string[] = [];
  const enter = async (orgId: string) => {
    const headers = { host: 'here', authorization: orgId };
    const raw = { url: '/', rawHeaders: [], headers, httpVersionMajor: 1, httpVersionMinor: 1, socket: {} };
    const request = { routeOptions: { config: { bound: {} } }, params: {}, headers, raw, ip: '127.0.0.1' };
    await pipeline.enter(request as unknown as FastifyRequest, reply);
    order.push(orgId);
  };
  await Promise.all(['greedy', 'calm', ...Array.from({ length: 5 }, () => 'greedy'), 'other'].map(enter));
  expect(order.slice(0, 4).sort()).toEqual(['calm', 'greedy', 'greedy', 'other']);
  expect(order.slice(4)).toEqual(['greedy', 'greedy', 'greedy', 'greedy']);
});
