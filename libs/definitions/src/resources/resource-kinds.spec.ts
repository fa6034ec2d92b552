import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { newRecord } from '../definition/definition.decide.js';
import { team } from '../definition/custody.decide.js';
import { orgId } from '../testing/definitions.fixture.js';
import { resourceKinds } from './resource-kinds.js';

interface Parameter {
  $ref?: string;
  name: string;
  in: string;
}

const contract = parse(readFileSync(join(__dirname, '../../../../contract/openapi.yaml'), 'utf8')) as {
  paths: Record<string, { get: { parameters: Parameter[] } }>;
  components: { parameters: Record<string, Parameter>; schemas: Record<string, { enum: string[] }> };
};

/** Members of a list's query that say which page is meant, and one that asks for what there is not. */
const noFilters = ['limit', 'cursor', 'include_system'];

function queryOf(list: string): string[] {
  const parameters = (contract.paths[`/v1/${list}`]?.get.parameters ?? []).map((parameter) =>
    parameter.$ref ? contract.components.parameters[parameter.$ref.split('/').at(-1) ?? ''] : parameter,
  );
  return parameters.flatMap((parameter) => (parameter?.in === 'query' ? [parameter.name] : []));
}

describe('kinds of resources', () => {
  it('are those of the contract, one for each', () => {
    const types = contract.components.schemas['BlueprintResourceType']?.enum ?? [];
    expect(resourceKinds.map(({ type }) => type).sort()).toEqual([...types].sort());
  });

  it.each(resourceKinds)('$type: stream, projection and type are of one kind', ({ type, kind, projection }) => {
    expect(kind.category).toBe(type);
    expect(projection.kind).toBe(kind);
  });

  it.each(resourceKinds)(
    '$type: every filter of its list in the contract asks for an index of its rows',
    (resource) => {
      const { list, type, blueprint, filters, projection } = resource;
      expect(Object.keys(filters).sort()).toEqual(
        queryOf(list)
          .filter((name) => !noFilters.includes(name))
          .sort(),
      );
      const entry = { key: 'k', name: 'n', external_ref: 'r' };
      const record = newRecord(
        {
          id: 'x',
          orgId,
          type,
          custody: { owner: team, visibility: 'organization', members: [] },
          wire: blueprint.configured(blueprint.blank(entry), entry, undefined),
        },
        { principalId: 'p', at: '2026-01-01T00:00:00.000Z' },
      );
      const [row] = projection.rows({ state: { record }, id: 'x', revision: 0 });
      expect(Object.keys(row?.index ?? {})).toEqual(expect.arrayContaining(Object.values(filters)));
    },
  );
});
