import { type Agent, Client, createAgent, eventually, readTurn, reaches, settled, unique } from '../harness/index.js';
import { turnMs, expectWholeOnce, followed, slowScript, startTurns } from './conversations.js';
import { replicas } from './fleet.js';

const api = Client.owner();
/** Every turn is seen to run before it ends, also on a slow machine. */
const stillRunningMs = 8_000;
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('zombie') });
});

/** Processes sleep by a signal; nothing of them is gone, and they wake with all they meant to do. */
function signal(pid: number | null, name: 'SIGSTOP' | 'SIGCONT'): void {
  if (pid === null) throw new Error('the service is not running');
  process.kill(pid, name);
}

describe('a session-service that sleeps longer than its leases', () => {
  it('invariant 18: its turns are taken over, and when it wakes it commits nothing more', async () => {
    const turns = await startTurns(api, agent, 8, slowScript(stillRunningMs));
    const following = Promise.all(turns.map((turn) => followed(api, turn)));
    await Promise.all(turns.map((turn) => reaches(api, turn, 'running')));
    const [sleeper, other] = replicas('session-service');
    if (!sleeper || !other) throw new Error('two copies of session-service are needed');
    signal(sleeper.pid, 'SIGSTOP');
    try {
      await Promise.all(turns.map((turn) => settled(api, turn, turnMs)));
    } finally {
      signal(sleeper.pid, 'SIGCONT');
    }
    const before = await Promise.all(turns.map((turn) => readTurn(api, turn)));
    await eventually('the sleeper being awake', async () => (await fetch(`${sleeper.url}/readyz`)).ok, turnMs);
    await Promise.all(turns.map((turn) => expectWholeOnce(api, turn)));
    expect(await Promise.all(turns.map((turn) => readTurn(api, turn)))).toEqual(before);
    for (const { ids } of await following) expect(new Set(ids).size).toBe(ids.length);
    expect(replicas('session-service').find(({ replica }) => replica === sleeper.replica)?.pid).toBe(sleeper.pid);
  });
});
