import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import { ActionServer, type Client, eventually } from '../harness/index.js';

/** The gate kills a few times; `npm run soak -- webhooks` kills more. */
const kills = Number(process.env['WEBHOOK_KILLS'] ?? 1);
let seed = Number(process.env['SEED'] ?? 7);
jest.setTimeout(240_000 + 30_000 * kills);

const folder = mkdtempSync(join(tmpdir(), 'aos-webhooks-'));
const file = join(folder, 'name');
const places = ['before-webhook', 'after-webhook', 'before-hook-position', 'after-hook-position'];
/** Positions are kept once a second; to write one takes a while, and a slow machine as many times longer as a start. */
const [keptEveryMs, writtenMs, quickStartMs] = [1_000, 1_500, 2_500];
let longestStartMs = quickStartMs;
const keptWithinMs = () => keptEveryMs + (writtenMs * longestStartMs) / quickStartMs;

let endpoint: ActionServer;
let service: OwnService;
let api: Client;
/** When each delivery came, by event. */
const arrivals = new Map<string, number[]>();
const ended: number[] = [];

beforeAll(async () => {
  writeFileSync(file, '');
  endpoint = await ActionServer.start('own');
  service = await OwnService.start({ SVC_FAILPOINT: file, SVC_EGRESS_ALLOW: `127.0.0.1:${endpoint.port}` });
  api = service.client;
  const url = endpoint.at('/hook', ({ headers }) => {
    const id = String(headers['webhook-id']);
    arrivals.set(id, [...(arrivals.get(id) ?? []), performance.now()]);
    return { status: 204, body: '' };
  });
  await api.post('/v1/webhooks', { url, event_types: ['crm.*'] }, 201);
});

afterAll(async () => {
  await service.remove();
  await endpoint.close();
  rmSync(folder, { recursive: true });
});

async function startAgain(): Promise<void> {
  const from = performance.now();
  await service.run();
  longestStartMs = Math.max(longestStartMs, performance.now() - from);
}

const random = () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

/** Events that are not delivered yet: as many as let deliveries go on while the service is away. */
const aheadMax = 150;

/** Events as they happen, one after the other and each until it is taken; ends when asked. */
function happening() {
  const taken: string[] = [];
  let isOver = false;
  const work = (async () => {
    for (let n = 0; !isOver; n += 1) {
      await eventually(
        'deliveries to follow',
        () => Promise.resolve(isOver || taken.length < arrivals.size + aheadMax),
        120_000,
      );
      const body = { id: `e-${n}`, event_type: 'crm.deal.won', integration_id: 'crm', event: { n } };
      const { event_id: id } = await eventually('the event to be taken', () =>
        api.post<{ event_id: string }>('/v1/inbound/events', body, 202).catch(() => null),
      );
      taken.push(id);
    }
  })();
  const end = async () => {
    isOver = true;
    await work;
    return taken;
  };
  return { taken, end };
}

it('TE122: kill -9 loses no event, and repeats only what left in the last second', async () => {
  const events = happening();
  for (const place of places) {
    await eventually('some to arrive', () => Promise.resolve(arrivals.size >= events.taken.length / 2));
    writeFileSync(file, place);
    await service.ended();
    ended.push(performance.now());
    writeFileSync(file, '');
    await startAgain();
  }
  for (let n = 0; n < kills; n += 1) {
    const until = arrivals.size + 1 + Math.floor(random() * 60); // a kill may meet any moment
    await eventually('deliveries to go on', () => Promise.resolve(arrivals.size >= until));
    await service.end('SIGKILL');
    ended.push(performance.now());
    await startAgain();
  }
  const taken = await events.end();
  await eventually('every event to arrive', () => Promise.resolve(taken.every((id) => arrivals.has(id))));
  expect(arrivals.size).toBe(taken.length);
  const repeats = [...arrivals.values()].flatMap((times) =>
    times.slice(1).map((at, n) => ({ at, before: times[n] ?? 0 })),
  );
  const early = repeats.filter(
    ({ at, before }) => !ended.some((end) => end > before && end < at && end - before <= keptWithinMs()),
  );
  expect(early).toEqual([]);
  process.stdout.write(
    `said: killed ${ended.length} times, at ${places.length} places of a delivery and at any moment: ${taken.length} events, none lost, ${repeats.length} repeated, each of what left in the second before a kill\n`,
  );
});
