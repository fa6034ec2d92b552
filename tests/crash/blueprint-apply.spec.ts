import { setTimeout as pause } from 'node:timers/promises';
import { OwnService } from '../harness/embedded.js';
import { type Agent, Client, type Page, unique } from '../harness/index.js';

const kills = Number(process.env['KILLS'] ?? 2);
const size = 25;

interface Change {
  resource_type: string;
  key: string;
  action: string;
  resource_id?: string;
}
interface Binding {
  resource_type: string;
  key: string;
  resource_id: string;
  delete_on_destroy: boolean;
  protected: boolean;
}
interface Result {
  status: string;
  changes: Change[];
  bindings: Binding[];
}
interface Body {
  namespace: string;
  blueprint_key: string;
  resources: Record<string, Record<string, unknown>[]>;
}

let service: OwnService;
let api: Client;

beforeAll(async () => {
  service = await OwnService.start();
  api = service.client;
});

afterAll(async () => {
  await service.remove();
});

/** 100 resources, each agent with a skill of the same graph. */
function graph(): Body {
  const prefix = unique('g').replaceAll('-', '_');
  const each = (make: (index: number) => Record<string, unknown>) =>
    Array.from({ length: size }, (_, index) => make(index));
  return {
    namespace: 'crash',
    blueprint_key: prefix,
    resources: {
      tables: each((index) => ({
        key: `t${index}`,
        name: `${prefix}_t${index}`,
        schema: { identity_column: 'id', columns: [{ name: 'id', type: 'string' }] },
      })),
      actions: each((index) => ({
        key: `x${index}`,
        name: `acme.${prefix}.x${index}`,
        endpoint: `https://acme.example/${index}`,
      })),
      skills: each((index) => ({ key: `s${index}`, name: `${prefix}_s${index}`, instructions: `Do ${index}.` })),
      agents: each((index) => ({
        key: `a${index}`,
        name: `${prefix}_a${index}`,
        description: `${index}`,
        skills: [{ key: `s${index}` }],
      })),
    },
  };
}

const of = ({ namespace, blueprint_key }: Body) => ({ namespace, blueprint_key });
const bindingsOf = async (body: Body) =>
  (await api.get<{ items: Binding[] }>('/v1/blueprints/bindings', of(body))).items;
const apply = (body: Body) => api.post<Result>('/v1/blueprints/apply', body, 200);

/** How long an apply, or a delete, of this size takes here, so that kills fall inside. */
async function taken(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Lets the request run into the kill. What it answers, if it does, is not asked for. */
async function killedDuring(work: () => Promise<unknown>, afterMs: number): Promise<void> {
  const running = work().catch(() => null);
  await pause(afterMs);
  await service.end('SIGKILL');
  await running;
  await service.run();
}

/** Everything once, each agent with its skill, the lists as the bindings say. */
async function checkWhole(body: Body, result: Result): Promise<void> {
  expect(result.changes).toHaveLength(4 * size);
  expect(new Set(result.bindings.map(({ resource_id: id }) => id)).size).toBe(4 * size);
  expect(result.bindings.every((binding) => binding.delete_on_destroy && !binding.protected)).toBe(true);
  expect(await bindingsOf(body)).toEqual(result.bindings);
  const idOf = (type: string, key: string) =>
    result.bindings.find((binding) => binding.resource_type === type && binding.key === key)?.resource_id;
  for (const [index, { name }] of (body.resources['agents'] ?? []).entries()) {
    const { items } = await api.get<Page<Agent>>('/v1/agents', { name: String(name) });
    expect(items).toMatchObject([
      { id: idOf('agent', `a${index}`), description: `${index}`, skill_ids: [idOf('skill', `s${index}`)] },
    ]);
  }
  expect((await apply(body)).changes.every(({ action }) => action === 'unchanged')).toBe(true);
}

describe('kill -9 during an apply and during a delete (invariants 56 and 60)', () => {
  let applyMs = 0;
  let deleteMs = 0;

  it('an uninterrupted run', async () => {
    const body = graph();
    applyMs = await taken(() => apply(body));
    await checkWhole(body, await apply(body));
    deleteMs = await taken(() =>
      api.call('DELETE', `/v1/blueprints/${body.blueprint_key}`, { query: { namespace: body.namespace }, expect: 200 }),
    );
    expect(await bindingsOf(body)).toEqual([]);
  });

  it.each(Array.from({ length: kills }, (_, index) => index + 1))(
    'kill %i: re-applying converges, deleting again completes',
    async (index) => {
      const share = index / (kills + 1);
      const body = graph();
      await killedDuring(() => apply(body), applyMs * share);
      const left = (await bindingsOf(body)).length;
      const result = await apply(body);
      expect(result.changes.filter(({ action }) => action === 'unchanged').length).toBeGreaterThanOrEqual(left);
      expect(result.changes.every(({ action }) => action === 'created' || action === 'unchanged')).toBe(true);
      await checkWhole(body, result);
      const remove = () =>
        api.send('DELETE', `/v1/blueprints/${body.blueprint_key}`, { query: { namespace: body.namespace } });
      await killedDuring(remove, deleteMs * share);
      const again = await remove();
      expect([200, 404]).toContain(again.status);
      expect(await bindingsOf(body)).toEqual([]);
      for (const { name } of body.resources['agents'] ?? [])
        expect((await api.get<Page<Agent>>('/v1/agents', { name: String(name) })).items).toEqual([]);
      expect((await apply(body)).changes.every(({ action }) => action === 'created')).toBe(true);
    },
  );
});
