import { setTimeout as pause } from 'node:timers/promises';
import { type Agent, Client, createAgent, createSession, invokeBody, unique } from '../harness/index.js';
import { expectWholeOnce, followed, slowScript, startTurns } from '../fleet/conversations.js';
import { fleet, serviceBack } from '../fleet/fleet.js';

const callers = 6;
const everyMs = 40;
const streamed = 6;
const turnMs = 8_000;

jest.setTimeout(600_000);

const api = Client.owner();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('rolling') });
});

/** Unary calls of every kind, one after the other, never tried again; gives what was not answered well. */
async function callUntil(isOver: () => boolean): Promise<{ calls: number; failures: string[] }> {
  const failures: string[] = [];
  let calls = 0;
  const session = await createSession(api, agent.id);
  const kinds: (() => Promise<{ status: number }>)[] = [
    () => api.send('GET', `/v1/agents/${agent.id}`),
    () => api.send('GET', `/v1/sessions/${session.id}`),
    () => api.send('GET', '/v1/interactions', { query: { limit: 1 } }),
    () => api.send('GET', '/v1/roles'),
    () => api.send('GET', '/v1/events', { query: { limit: 1 } }),
    () => api.send('PATCH', `/v1/sessions/${session.id}`, { body: { title: unique('t') } }),
    () => api.send('POST', '/v1/agents/invoke', { body: invokeBody(agent.id, 'hello') }),
  ];
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let index = caller; !isOver(); index += 1) {
        const kind = index % kinds.length;
        calls += 1;
        try {
          const answer = await (kinds[kind] as () => Promise<{ status: number; text?: string }>)();
          if (answer.status >= 300) failures.push(`call ${kind}: ${answer.status} ${answer.text?.slice(0, 300) ?? ''}`);
        } catch (error) {
          failures.push(
            `call ${kind}: ${error instanceof Error ? `${error.message} ${String((error.cause as Error | undefined)?.message ?? '')}` : String(error)}`,
          );
        }
        await pause(everyMs);
      }
    }),
  );
  return { calls, failures };
}

it('every service is restarted, one copy after the other: no call fails, every stream is resumed, every turn ends well', async () => {
  let isOver = false;
  const load = callUntil(() => isOver);
  const copies = fleet().services;
  let restarts = 0;
  for (const name of [...new Set(copies.map((copy) => copy.name))]) {
    const turns = await startTurns(api, agent, streamed, slowScript(turnMs));
    const follows = Promise.all(turns.map((turn) => followed(api, turn)));
    for (const copy of fleet().services.filter((one) => one.name === name)) {
      if (copy.pid === null) throw new Error(`${name} is not running`);
      process.kill(copy.pid, 'SIGTERM');
      await serviceBack(copy, copy.pid);
      restarts += 1;
    }
    for (const { ids } of await follows) expect(new Set(ids).size).toBe(ids.length);
    await Promise.all(turns.map((turn) => expectWholeOnce(api, turn)));
  }
  isOver = true;
  const { calls, failures } = await load;
  process.stdout.write(
    `said: ${restarts} copies of ${new Set(copies.map(({ name }) => name)).size} services restarted one after the other under ${calls} calls: ${failures.length} failed\n`,
  );
  expect(failures).toEqual([]);
});
