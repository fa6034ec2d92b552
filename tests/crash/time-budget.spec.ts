import { OwnService } from '../harness/embedded.js';
import {
  type Agent,
  Client,
  endlessScript,
  type Turn,
  type TurnAck,
  createAgent,
  eventually,
  invoke,
  reaches,
  readTurn,
  settled,
  unique,
} from '../harness/index.js';

const budgetS = 10;
/** Long enough before the end of the budget, and a good part of it. */
const aliveMs = 6_000;
/** Less than what was spent: a budget that began anew would last longer. */
const slackMs = 4_000;

let service: OwnService;
let api: Client;
let agent: Agent;

beforeAll(async () => {
  service = await OwnService.start();
  api = service.client;
  agent = await createAgent(api, { name: unique('budget') });
});

afterAll(async () => {
  await service.remove();
});

const since = (turn: Turn): number => Date.parse(turn.updated_at);

/** Gives when its run began. */
async function runsFor(ack: TurnAck, ms: number): Promise<number> {
  const startedAt = since(await reaches(api, ack, 'running'));
  await eventually(`${ms} ms of running`, () => Promise.resolve(Date.now() - startedAt >= ms), ms + 10_000);
  return startedAt;
}

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'L6: what a turn spent before a %s counts after the restart',
  async (signal) => {
    const ack = await invoke(api, agent.id, endlessScript, { operation: { timeout_seconds: budgetS } });
    const before = await runsFor(ack, aliveMs);
    await service.end(signal);
    await service.run();
    const again = await eventually('the turn to run again', async () => {
      const turn = await readTurn(api, ack);
      return turn.status === 'running' && since(turn) > before ? turn : null;
    });
    const over = await settled(api, ack);
    expect(over).toMatchObject({ status: 'failed', error_type: 'timeout' });
    expect(since(over) - since(again)).toBeLessThan(budgetS * 1000 - aliveMs + slackMs);
  },
);
