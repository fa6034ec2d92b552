import fc from 'fast-check';
import { Refusal } from '@aos/kernel';
import type { DefinitionType } from '@aos/definitions/published';
import type { ApplyBody } from '../plan/request.decide.js';
import { BlueprintsProcess, newWorld, type Result } from '../testing/blueprints.fixture.js';

const few = <T>(...values: T[]) => fc.constantFrom(...values);
const keys = few('k0', 'k1', 'k2', 'k3');
/** Mostly a name of the entry's own, sometimes one that others want too. */
const names = (prefix: string) =>
  fc.oneof(
    { weight: 12, arbitrary: few('own', 'own', 'own', 'ownother').map((own) => `${own} ${prefix}`) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 4 }).map((index) => `${prefix}${index}`) },
  );
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

/** Mostly to a skill of the request, sometimes to anything. */
const reference = fc.oneof(
  { weight: 12, arbitrary: fc.nat(3).map((index) => ({ place: index })) },
  { weight: 1, arbitrary: keys.map((key) => ({ key })) },
  { weight: 1, arbitrary: fc.record({ blueprint_ref: fc.record({ namespace: few('x', 'y'), key: keys }) }) },
);
const list = <T>(entry: fc.Arbitrary<T>) =>
  maybe(fc.uniqueArray(entry, { selector: (one) => (one as { key: string }).key, maxLength: 4 }));

const columns = few(['id'], ['id', 'more'], ['id', 'more', 'most']).map((all) =>
  all.map((name) => ({ name, type: 'string' as const })),
);
const body: fc.Arbitrary<ApplyBody> = fc
  .record({
    namespace: maybe(few('x', 'y')),
    blueprint_key: few('p', 'q'),
    blueprint_version: maybe(few('1', '2')),
    protect_resources: maybe(fc.boolean()),
    resources: fc.record({
      tables: list(
        fc.record({
          key: keys,
          name: names('table_'),
          description: maybe(few('', 'd')),
          schema: columns.map((all) => ({ identity_column: 'id', columns: all })),
        }),
      ),
      actions: list(
        fc
          .record({
            key: keys,
            name: names('acme.act'),
            type: few('http' as const, 'worker' as const),
            title: maybe(few('', 't')),
          })
          .map(({ type, ...rest }) => ({
            ...rest,
            type,
            ...(type === 'http' ? { endpoint: 'https://a.example/x' } : {}),
          })),
      ),
      skills: list(
        fc.record({
          key: keys,
          name: names('skill'),
          instructions: maybe(few('a', 'b')),
          tags: maybe(few({}, { a: '1' })),
        }),
      ),
      agents: list(
        fc.record({
          key: keys,
          name: names('agent'),
          description: maybe(few('', 'x', 'y')),
          timeout_seconds: maybe(few(0, 5)),
          status: maybe(few('active' as const, 'inactive' as const)),
          compaction_policy: maybe(few({}, { strategy: 'none' as const }, { threshold_tokens: 5 })),
          skills: maybe(fc.array(reference, { maxLength: 3 })),
        }),
      ),
    }),
  })
  .map((value) => settled(JSON.parse(JSON.stringify(value)) as ApplyBody));

type Loose = { key: string; name: string; skills?: { place?: number; key?: string }[] };

/** Gives names of their own to the entries that want one, and references a target where there is one. */
function settled(request: ApplyBody): ApplyBody {
  const { skills = [], ...others } = request.resources;
  for (const entry of [...skills, ...Object.values(others).flat()] as Loose[]) {
    const [own, prefix] = entry.name.split(' ');
    if (prefix !== undefined)
      entry.name = `${prefix}${own ?? ''}${request.namespace ?? ''}${request.blueprint_key ?? ''}${entry.key}`;
    if (!entry.skills) continue;
    const targets = entry.skills.flatMap(({ place: index, ...rest }) =>
      index === undefined ? [rest] : skills.slice(index, index + 1).map(({ key }) => ({ key })),
    );
    entry.skills = [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()];
  }
  return request;
}

type Actor = { apply: ApplyBody } | { make: [DefinitionType, string] } | { drop: number };
const act: fc.Arbitrary<Actor> = fc.oneof(
  { weight: 6, arbitrary: body.map((apply) => ({ apply })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(few<DefinitionType>('agent', 'skill'), fc.integer({ min: 0, max: 4 }))
      .map(([type, index]): Actor => ({ make: [type, `${type}${index}`] })),
  },
  { weight: 1, arbitrary: fc.nat(20).map((drop): Actor => ({ drop })) },
);

/** What came of it, comparable between preview and apply: ids of what preview cannot know are left out. */
async function outcome(work: Promise<Result>): Promise<unknown> {
  try {
    const { changes } = await work;
    return changes.map(({ resource_id: id, ...rest }) => (rest.action === 'created' ? rest : { ...rest, id }));
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, details: error.details };
    throw error;
  }
}

async function check(service: BlueprintsProcess, request: ApplyBody): Promise<void> {
  const before = await service.eventCount();
  const shown = await outcome(service.preview(request));
  expect(await service.eventCount()).toBe(before);
  const done = await outcome(service.apply(request));
  expect(done).toEqual(shown);
  if (!Array.isArray(done)) return;
  const graph = await service.graph();
  const applied = await service.eventCount();
  const { changes, bindings } = await service.apply(request);
  expect(changes.every(({ action }) => action === 'unchanged')).toBe(true);
  expect(await service.eventCount()).toBe(applied + 2); // it began and ended
  expect(await service.graph()).toEqual(graph);
  const filter = {
    ...(request.namespace === undefined ? {} : { namespace: request.namespace }),
    blueprint_key: request.blueprint_key ?? '',
  };
  const listed = (await service.list(filter)).items;
  expect(listed.filter(({ namespace }) => namespace === request.namespace)).toEqual(bindings);
}

/** One live resource for each name and each key; nobody is bound twice. */
async function checkUnique(service: BlueprintsProcess): Promise<void> {
  const { items } = await service.list();
  expect(new Set(items.map(({ resource_id: id }) => id)).size).toBe(items.length);
  expect(
    new Set(
      items.map(({ namespace, blueprint_key: blueprint, resource_type: type, key }) =>
        JSON.stringify([namespace, blueprint, type, key]),
      ),
    ).size,
  ).toBe(items.length);
  const graph = await service.graph();
  expect(new Set(graph.map(({ type, fields }) => JSON.stringify([type, (fields as { name: string }).name]))).size).toBe(
    graph.length,
  );
}

describe('any graph, any order', () => {
  it('invariant 57: preview predicts apply exactly and writes nothing; applied twice, nothing changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 10 }), async (acts) => {
        const world = newWorld();
        const service = new BlueprintsProcess(world);
        for (const one of acts) {
          world.clock.advance(1_000);
          if ('apply' in one) {
            await check(service, one.apply);
          } else if ('make' in one) {
            await service.made(...one.make).catch((error: unknown) => {
              expect(error).toMatchObject({ code: 'already_exists' });
            });
          } else {
            const { items } = await service.list();
            const binding = items[one.drop % Math.max(1, items.length)];
            if (binding) await service.deleted(binding.resource_type as DefinitionType, binding.resource_id);
          }
        }
        await checkUnique(service);
      }),
      { numRuns: 60 },
    );
  });
});
