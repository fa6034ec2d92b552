import { Logger } from '@nestjs/common';
import type { ApplyBody } from '../plan/request.decide.js';
import { BlueprintsProcess, dieAtAppend, newWorld, type World } from '../testing/blueprints.fixture.js';

beforeAll(() => {
  Logger.overrideLogger(false);
}); // each death warns that its end was not written

/** How large an apply is whose every append is met: smaller in the gate than in `npm run soak -- failpoints`. */
const sizeMax = process.env['FAILPOINTS'] === 'all' ? 100 : 48;

const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/**
 * Resources of every type that need every kind of change: an earlier version of some is there, two wait to be adopted,
 * two are renamed, one was deleted by hand.
 */
function body(size: number, version = '2'): ApplyBody {
  const each = size / 4;
  const renamed = (key: string) => (version === '2' && key.endsWith('1') && key.length < 8 ? `${key}-renamed` : key);
  const said = (index: number) => `${index} ${version}`;
  const schema = { identity_column: 'id', columns: [{ name: 'id', type: 'string' }] };
  return {
    namespace: 'n',
    blueprint_key: 'b',
    blueprint_version: version,
    protect_resources: version === '2',
    resources: {
      tables: names(each, 'table').map((key, index) => ({
        key,
        name: key.replace('-', '_'),
        description: said(index),
        schema,
      })),
      actions: names(each, 'act').map((key, index) => ({
        key,
        name: `acme.${key}`,
        endpoint: 'https://a.example/x',
        title: said(index),
      })),
      skills: names(each, 'skill').map((key, index) => ({ key, name: renamed(key), instructions: said(index) })),
      agents: names(each, 'agent').map((key, index) => ({
        key,
        name: renamed(key),
        description: said(index),
        skills: [{ key: `skill-${index}` }],
      })),
    },
  };
}

/** A world with an earlier, smaller apply. */
async function prepared(): Promise<World> {
  const world = newWorld();
  const service = new BlueprintsProcess(world);
  await service.made('agent', 'agent-4');
  await service.made('skill', 'skill-4');
  const { bindings } = await service.apply(body(8, '1'));
  await service.deleted('agent', bindings.find(({ key }) => key === 'agent-0')?.resource_id ?? '');
  return world;
}

async function uninterrupted(size: number) {
  const world = await prepared();
  const appends = dieAtAppend(world, Infinity, false);
  const service = new BlueprintsProcess(world);
  const result = await service.apply(body(size));
  return { graph: await service.graph(), appends: appends(), result };
}

describe('a crash at any append of an apply', () => {
  it.each<[string, number, boolean]>([
    ['lost', 32, false],
    ['written, its answer lost', sizeMax, true],
  ])(
    'invariant 56: re-applying gives the graph of the uninterrupted run (%s, %i resources)',
    async (_what, size, written) => {
      const { graph, appends } = await uninterrupted(size);
      expect(graph).toHaveLength(size);
      expect(appends).toBeGreaterThan(2 * size - 20);
      for (let at = 0; at < appends; at += 1) {
        const world = await prepared();
        dieAtAppend(world, at, written);
        await new BlueprintsProcess(world).apply(body(size)).catch(() => null);
        world.store.faults = {};
        const next = await new BlueprintsProcess(world).caughtUp();
        const shown = await next.preview(body(size));
        const done = await next.apply(body(size));
        expect(done.changes.map(({ action, key }) => `${key} ${action}`)).toEqual(
          shown.changes.map(({ action, key }) => `${key} ${action}`),
        );
        expect(await next.graph()).toEqual(graph);
        expect((await next.list()).items).toHaveLength(size);
      }
    },
  );
});

describe('a crash at any append of a delete', () => {
  it.each([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ])(
    'invariant 60: a repeat completes it (append written: %s, delete_retained: %s)',
    async (written, deletesRetained) => {
      const size = 20;
      const start = async () => {
        const world = await prepared();
        const service = new BlueprintsProcess(world);
        await service.apply(body(size));
        await service.protect('b', false, 'n');
        const skill = (await service.list()).items.find(({ key }) => key === 'skill-3')?.resource_id ?? '';
        const other = await service.apply({
          blueprint_key: 'other',
          resources: { agents: [{ key: 'a', name: 'other-agent', skills: [{ id: skill }] }] },
        });
        return { world, other: other.changes[0]?.resource_id ?? '' };
      };
      const { world: whole } = await start();
      const appends = dieAtAppend(whole, Infinity, false);
      const service = new BlueprintsProcess(whole);
      const { deleted, retained } = await service.remove('b', { namespace: 'n', deletesRetained });
      expect(deleted).toHaveLength(deletesRetained ? size : size - 2);
      expect(retained).toHaveLength(deletesRetained ? 0 : 2);
      const graph = await service.graph();
      const count = appends();
      for (let at = 0; at < count; at += 1) {
        const { world, other } = await start();
        dieAtAppend(world, at, written);
        await new BlueprintsProcess(world).remove('b', { namespace: 'n', deletesRetained }).catch(() => null);
        world.store.faults = {};
        const next = await new BlueprintsProcess(world).caughtUp();
        const left = (await next.list({ namespace: 'n' })).items.length;
        if (left > 0) await next.remove('b', { namespace: 'n', deletesRetained });
        expect(await next.graph()).toEqual(graph);
        expect((await next.record('agent', other))?.wire).toMatchObject({ skill_ids: [] });
      }
    },
  );
});
