import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import {
  type Agent,
  type Client,
  finalStatuses,
  type Page,
  type Session,
  type Turn,
  createAgent,
  eventually,
  invoke,
  script,
  unique,
} from '../harness/index.js';

/** Even: one in the middle of a build, and one while turns are written behind it, in turn. */
const kills = Number(process.env['REBUILD_KILLS'] ?? 4);
const turns = Number(process.env['REBUILD_TURNS'] ?? 600);
const atOnce = 16;
const lookEveryMs = 2;
const builtMs = 120_000;
/** Each is made by a projection of its own, or by several. */
const lists = ['sessions', 'turns', 'agents', 'events', 'audit', 'billing/usage-events', 'interactions'];

jest.setTimeout(360_000);

let service: OwnService;
let api: Client;
let agent: Agent;
let seed = Number(process.env['SEED'] ?? 11);
/** Ids of the sessions whose turns were acknowledged. */
const acknowledged = new Set<string>();

const random = () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

async function oneTurn(): Promise<void> {
  const { session_id: id } = await invoke(api, agent.id, script({ say: 'done' }), { session: { mode: 'new' } });
  acknowledged.add(id);
}

beforeAll(async () => {
  service = await OwnService.start();
  api = service.client;
  agent = await createAgent(api, { name: unique('rebuilt') });
  for (let made = 0; made < turns; made += atOnce) await Promise.all(Array.from({ length: atOnce }, oneTurn));
}, 180_000);

afterAll(async () => {
  await service.remove();
});

const files = () =>
  readdirSync(service.folder)
    .filter((name) => name.startsWith('views.db'))
    .map((name) => join(service.folder, name));

const bytes = () => files().reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);

/** Every item of every list, as text; refused with 503 until the list is built. */
async function everything(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const list of lists) {
    const items: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: 100, ...(cursor === undefined ? {} : { cursor }) };
      const page: Page<unknown> = await api.get<Page<unknown>>(`/v1/${list}`, query);
      items.push(...page.items.map((item) => JSON.stringify(item)));
      cursor = page.has_more ? (page.next_cursor ?? undefined) : undefined;
    } while (cursor !== undefined);
    found[list] = items;
  }
  return found;
}

const built = () => eventually('every list', everything, builtMs);

async function settled(): Promise<void> {
  await eventually(
    'all turns to end',
    async () => {
      const open = await api.get<Page<Turn>>('/v1/turns', { status: 'running', limit: 1 });
      const queued = await api.get<Page<Turn>>('/v1/turns', { status: 'queued', limit: 1 });
      return open.items.length + queued.items.length === 0;
    },
    builtMs,
  );
}

/** Begins turns until the process is gone. */
async function writeUntilGone(isGone: () => boolean): Promise<void> {
  while (!isGone()) {
    try {
      await oneTurn();
    } catch (error) {
      if (String(error).includes('breaks the contract')) throw error;
      await eventually('an answer, or the end', () => Promise.resolve(isGone() || answers()), builtMs);
    }
  }
}

async function answers(): Promise<boolean> {
  return (await fetch(api.url('/healthz'))).ok;
}

/** Starts the process, and kills it once this holds. Gives whether it was ready by then, with all rows built. */
async function killedOnce(holds: () => boolean): Promise<boolean> {
  let [isGone, isReady] = [false, false];
  const started = service.run().then(
    () => {
      isReady = true;
    },
    (error: unknown) => {
      if (!isGone) throw error;
    },
  );
  const writing = [1, 2, 3, 4].map(() => writeUntilGone(() => isGone));
  await eventually('the moment of the kill', () => Promise.resolve(holds()), builtMs, lookEveryMs);
  isGone = true;
  await service.end('SIGKILL');
  const wasReady = isReady;
  await Promise.all([started, ...writing]);
  return wasReady;
}

/** The process ended, and its rows go. */
async function withoutRows(): Promise<void> {
  await service.end('SIGTERM');
  for (const file of files()) rmSync(file);
}

test('TP19: rows that are built again are the same, however often the build was killed, with turns that were written meanwhile', async () => {
  await settled();
  await withoutRows();
  await service.run();
  await built();
  const whole = bytes();
  let inTheMiddle = 0;
  for (let killed = 0; killed < kills; killed += 2) {
    await withoutRows();
    const size = random() * 0.6 * whole;
    if (!(await killedOnce(() => bytes() >= size))) inTheMiddle += 1;
    const wanted = acknowledged.size + Math.ceil(random() * 20);
    await killedOnce(() => acknowledged.size >= wanted); // it has gone on with what the one before left
  }
  expect(inTheMiddle).toBe(kills / 2);

  await service.run();
  await built();
  await settled();
  const broken = await built();
  await withoutRows();
  await service.run();
  const undisturbed = await built();

  expect(broken).toEqual(undisturbed);
  const sessions = new Set(undisturbed['sessions']?.map((text) => (JSON.parse(text) as Session).id));
  expect([...acknowledged].filter((id) => !sessions.has(id))).toEqual([]);
  const ended = undisturbed['turns']?.map((text) => (JSON.parse(text) as Turn).status) ?? [];
  expect(ended.filter((status) => !finalStatuses.includes(status))).toEqual([]);
  expect(ended.length).toBeGreaterThanOrEqual(acknowledged.size);
});
