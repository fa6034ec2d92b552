import { quickest } from '@aos/kernel/testing';
import { type Agent, Client, createAgent, unique } from '../harness/index.js';
import { expectWholeOnce, followed, slowScript, startTurns } from '../fleet/conversations.js';
import { fleet, serviceBack } from '../fleet/fleet.js';
import { callUntil } from './unary-calls.js';

const streamed = 6;
const turnMs = 8_000;
/** Of an engine, and no engine is restarted: on a slow machine Redis is late by its second, whatever else goes on. */
const engineIsLate = / 503 .*a dependency does not answer/;

jest.setTimeout(1_500_000);

const api = Client.owner();
let agent: Agent;
let restarts = 0;
let called = 0;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('rolling') });
});

/** Restarts the copies of a service one after the other under calls, streams and turns; gives the calls that failed. */
async function failuresOf(name: string): Promise<string[]> {
  let isOver = false;
  const load = callUntil(api, agent, () => isOver);
  try {
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
  } finally {
    isOver = true;
  }
  const { calls, failures } = await load;
  called += calls;
  return failures;
}

it('every service is restarted, one copy after the other: no call fails, every stream is resumed, every turn ends well', async () => {
  const names = [...new Set(fleet().services.map((copy) => copy.name))];
  const late: string[] = [];
  for (const name of names) {
    const least = await quickest(1, async () => {
      const failures = await failuresOf(name);
      const ofEngines = failures.filter((failure) => engineIsLate.test(failure));
      expect(failures.filter((failure) => !ofEngines.includes(failure))).toEqual([]);
      late.push(...ofEngines);
      return ofEngines.length;
    });
    expect({ name, least, late }).toEqual({ name, least: 0, late });
  }
  process.stdout.write(
    `said: ${restarts} copies of ${names.length} services restarted one after the other under ${called} calls: none failed, ${late.length} were asked to try again since an engine was late\n`,
  );
});
