import { Client, eventually } from '../harness/index.js';
import { fleet } from './fleet.js';

const wholeMs = 120_000;
/** What has copies answers in turn. */
const copies = 2;
const paths = [
  '/v1/agents',
  '/v1/actions',
  '/v1/sessions',
  '/v1/interactions',
  '/v1/connections',
  '/v1/webhooks',
  '/v1/roles',
  '/v1/events',
];
const waitMs = wholeMs + 60_000;

/**
 * Each test begins on a whole fleet, whatever the test before it ended or emptied: every process is ready, and every
 * list is answered at every door. A service says 503 while it builds its rows again.
 */
async function wholeFleet(): Promise<void> {
  const { key } = Client.owner();
  for (const { name, replica } of fleet().services)
    await eventually(
      `${name} ${replica} being ready`,
      async () => {
        const now = fleet().services.find((one) => one.name === name && one.replica === replica);
        return now !== undefined && now.pid !== null && (await fetch(`${now.url}/readyz`)).ok;
      },
      wholeMs,
    );
  for (const { url } of fleet().services.filter(({ name }) => name === 'gateway'))
    for (const path of paths)
      for (let asked = 0; asked < copies; asked += 1)
        await eventually(
          `${path} being whole at ${url}`,
          async () => (await new Client(url, key).send('GET', path)).status === 200,
          wholeMs,
        );
}

beforeAll(wholeFleet, waitMs);
beforeEach(wholeFleet, waitMs);
