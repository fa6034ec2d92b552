import { type Agent, Client, createAgent, unique } from '../harness/index.js';
import { expectWholeOnce, followed, slowScript, startTurns } from '../fleet/conversations.js';
import { fleet, serviceBack } from '../fleet/fleet.js';
import { callUntil } from './unary-calls.js';

const streamed = 6;
const turnMs = 8_000;

jest.setTimeout(600_000);

const api = Client.owner();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('rolling') });
});

it('every service is restarted, one copy after the other: no call fails, every stream is resumed, every turn ends well', async () => {
  let isOver = false;
  const load = callUntil(api, agent, () => isOver);
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
