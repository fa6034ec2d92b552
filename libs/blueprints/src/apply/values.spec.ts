import { shownValuesMax } from '../blueprint/blueprint.limits.js';
import type { ApplyBody } from '../plan/request.decide.js';
import { backend, BlueprintsProcess, newWorld } from '../testing/blueprints.fixture.js';

const bodyOf = (letter: string): ApplyBody => ({
  blueprint_key: 'b',
  resources: {
    agents: ['a1', 'a2', 'a3'].map((key) => ({
      key,
      name: key,
      description: letter,
      system_prompt: letter.repeat(shownValuesMax / 5),
    })),
  },
});

describe('the values of changed fields (rule B32)', () => {
  it('are given as far as they fit, and their fields are named all the same', async () => {
    const service = new BlueprintsProcess(newWorld());
    await service.apply(bodyOf('x'));
    const { changes } = await service.apply({ ...bodyOf('y'), mode: 'preview' }, backend, true);
    expect(changes.map(({ fields }) => fields)).toEqual(Array(3).fill(['description', 'system_prompt']));
    expect(changes.map(({ values }) => values?.map(({ field }) => field))).toEqual([
      ['description', 'system_prompt'],
      ['description', 'system_prompt'],
      ['description'],
    ]);
    expect(JSON.stringify(changes.map(({ values }) => values)).length).toBeLessThan(shownValuesMax);
  });
});
