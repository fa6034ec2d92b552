import { faultsBySchema } from '../../apps/console/src/api/schemas';
import { contract, faultsOf } from '../harness/contract.js';
import { Chance, type Draw, valueOf } from '../harness/generators/index.js';

const names = Object.keys((contract.components as { schemas?: Record<string, object> }).schemas ?? {});
const valuesOfEach = 40;
const valuesMin = 6_000;
/** Needs a text of one exact length. */
const notDrawn = ['CreateFirstKeyRequest'];

function drawFrom(chance: Chance): Draw {
  return {
    member: () => chance.is(0.5),
    branch: (count) => chance.below(count),
    items: (min, max) => Math.min(max, min + chance.below(3)),
    whole: (min, max) => min + chance.below(Math.min(1_000, max - min + 1)),
    text: (_name, max) => 'abcdefgh1'.slice(0, Math.max(1, max)),
    known: () => null,
    anything: () => chance.of<unknown>([1, 'x', { a: 1 }, [1], true]),
  };
}

describe('schemas of the contract in the console', () => {
  const fetchBefore = globalThis.fetch;

  beforeAll(() => {
    globalThis.fetch = async () => new Response(JSON.stringify(contract));
  });

  afterAll(() => {
    globalThis.fetch = fetchBefore;
  });

  it('find no fault in what the contract takes', async () => {
    const wrong = new Set<string>();
    let count = 0;
    for (const name of names) {
      const schema = { $ref: `#/components/schemas/${name}` };
      const draw = drawFrom(new Chance(7));
      let taken = 0;
      for (let index = 0; index < valuesOfEach; index += 1) {
        const value: unknown = valueOf(schema, draw);
        if (faultsOf(schema, value).length > 0) continue;
        taken += 1;
        for (const { path, message } of await faultsBySchema(name, value))
          wrong.add(`${name} /${path.map((part) => (typeof part === 'number' ? '*' : part)).join('/')}: ${message}`);
      }
      if (taken === 0 && !notDrawn.includes(name)) wrong.add(`${name}: no value was drawn`);
      count += taken;
    }
    expect([...wrong]).toEqual([]);
    expect(count).toBeGreaterThan(valuesMin);
  });

  it('find the faults that the console shows', async () => {
    const agents = [{ key: 'a', name: 'a', skills: [{ key: 's' }, { kye: 's' }], color: 7 }];
    const faults = await faultsBySchema('ApplyBlueprintRequest', { resources: { agents } });
    expect(faults.map(({ path }) => path.join('.')).sort()).toEqual([
      'resources.agents.0.color',
      'resources.agents.0.skills.1',
    ]);
  });
});
