import { basePermissions, refusalStatus } from '@aos/kernel';
import { Refusal } from '@aos/kernel';
import { linearGrowthMax, timeGrowth } from '@aos/kernel/testing';
import { loadContract } from './contract.js';
import { Validators } from './validators.js';

const contract = loadContract();
const validators = new Validators(contract);
const issuesFor = (operationId: string, body: unknown) => {
  try {
    validators.checkBody(contract.operation(operationId), body, 1_000);
  } catch (error) {
    if (error instanceof Refusal) return error.details['issues'] as { path: string; message: string }[];
    throw error;
  }
  return [];
};

describe('the contract', () => {
  it('names a permission for everything but operations, and each is one we know', () => {
    const known = new Set<string>(['any', ...basePermissions, 'actions.execute.<provider>.<action>']);
    expect(contract.operations.length).toBeGreaterThan(130);
    for (const operation of contract.operations) {
      expect([
        operation.operationId,
        operation.permission === null
          ? operation.isPublic && operation.tags.includes('operations')
          : known.has(operation.permission),
      ]).toEqual([operation.operationId, true]);
    }
  });

  it('has the error catalogue that the kernel has', () => {
    const catalogue = Object.entries(contract.document['x-error-catalog']).map(
      ([code, { status }]) => `${code} ${status}`,
    );
    const refusals = Object.entries(refusalStatus).map(([code, status]) => `${code} ${status}`);
    expect({
      'only in x-error-catalog of contract/openapi.yaml': catalogue.filter((one) => !refusals.includes(one)),
      'only in refusalStatus of libs/kernel/src/refusal.ts': refusals.filter((one) => !catalogue.includes(one)),
    }).toEqual({
      'only in x-error-catalog of contract/openapi.yaml': [],
      'only in refusalStatus of libs/kernel/src/refusal.ts': [],
    });
  });

  it('compiles for every operation', () => {
    for (const operation of contract.operations) validators.prepare(operation);
  });

  it('knows larger bodies and streams', () => {
    expect(
      ['invokeAgent', 'applyBlueprint', 'createAgent'].map((id) => contract.operation(id).bodyBytesMax / 1024 / 1024),
    ).toEqual([8, 8, 1]);
    expect(
      contract.operations.filter(({ isEventStream }) => isEventStream).map(({ operationId }) => operationId),
    ).toEqual(expect.arrayContaining(['streamSession', 'streamSessionTranscript', 'streamSourceEvents']));
    expect(contract.find('GET', '/v1/agents/:agent_id')?.operationId).toBe('getAgent');
  });
});

describe('issues', () => {
  it('name a value that its schema has and this place does not take', () => {
    const skill = { name: 'note', description: 'd', instructions: 'i' };
    expect(issuesFor('createSkill', { ...skill, visibility: 'organization' })).toEqual([]);
    expect(issuesFor('createSkill', { ...skill, visibility: 'restricted' })).toMatchObject([{ path: '/visibility' }]);
  });

  it('point at what was meant in a union', () => {
    expect(issuesFor('invokeAgent', { agent_ref: { id: 5 }, input: { content: [] } })).toContainEqual({
      path: '/agent_ref/id',
      message: 'must be string',
    });
    expect(issuesFor('createRoleAssignment', { principal_id: 'p' })).toEqual([
      { path: '', message: 'one of role_id, role_name is required' },
    ]);
    expect(issuesFor('createRoleAssignment', { principal_id: 'p', role_id: 'a', role_name: 'b' })).toEqual([
      { path: '', message: 'only one of role_id, role_name may be given' },
    ]);
    expect(issuesFor('startTurn', {})).toEqual([{ path: '', message: 'one of input, content is required' }]);
  });

  it.each<[string, unknown, { path: string; message: string }]>([
    [
      'invokeAgent',
      { agent_ref: 'a', input: { content: [{ type: 'text', text: 'a' }] } },
      { path: '/agent_ref', message: 'must be object' },
    ],
    [
      'invokeAgent',
      { agent_ref: { nme: 'a' }, input: { content: [{ type: 'text', text: 'a' }] } },
      { path: '/agent_ref', message: 'one of id, name is required' },
    ],
    ['startTurn', { content: [{ type: 'text' }] }, { path: '/content/0/text', message: 'is required' }],
    [
      'startTurn',
      { content: [{ type: 'txt' }] },
      { path: '/content/0/type', message: 'is not one of the known values' },
    ],
    ['updateAction', { annotations: 5 }, { path: '/annotations', message: 'must be object' }],
    [
      'updateAction',
      { annotations: { destructive: 5 } },
      { path: '/annotations/destructive', message: 'must be boolean' },
    ],
    [
      'applyBlueprint',
      { blueprint_key: 'b', resources: { agents: [{ key: 'a', name: 'n', skills: [{ ky: 'x' }] }] } },
      { path: '/resources/agents/0/skills/0/ky', message: 'is not a known member' },
    ],
    [
      'applyBlueprint',
      { blueprint_key: 'b', resources: { agents: [{ key: 'a', name: 'n', skills: ['x'] }] } },
      { path: '/resources/agents/0/skills/0', message: 'must be object' },
    ],
  ])('G29: the first one is the true one: %s %j', (operationId, body, first) =>
    expect(issuesFor(operationId, body)[0]).toEqual(first),
  );

  it('are at most 20, found in time of the size of a large wrong body', async () => {
    expect(issuesFor('createRole', { name: 'x', permissions: Array.from({ length: 100 }, () => 5) })).toHaveLength(20);
    const operation = contract.operation('bulkCreateTableRows');
    const growth = await timeGrowth(30_000, (size) => {
      const rows = Array.from({ length: size }, () => 1);
      return () => expect(() => validators.checkBody(operation, { rows }, 1_000_000)).toThrow(Refusal);
    });
    expect(growth).toBeLessThan(linearGrowthMax);
  });

  it('read repeated names as a list, also one', () => {
    const operation = contract.operation('listSessionTurns');
    expect(validators.checkQuery(operation, { ids: 'a' })).toMatchObject({ ids: ['a'], limit: 20, order: 'asc' });
    expect(validators.checkQuery(operation, { ids: ['a', 'b'] })).toMatchObject({ ids: ['a', 'b'] });
    expect(() =>
      validators.checkQuery(contract.operation('listSessionNudges'), { status: ['pending', 'nope'] }),
    ).toThrow(
      expect.objectContaining({ details: { issues: [expect.objectContaining({ path: 'query.status' })] } }) as Error,
    );
    expect(() => validators.checkQuery(contract.operation('previewAgentVisibilityChange'), {})).toThrow(
      expect.objectContaining({ details: { issues: [{ path: 'query.visibility', message: 'is required' }] } }) as Error,
    );
    expect(() => validators.checkQuery(contract.operation('listSourceEvents'), { since: 'yesterday' })).toThrow(
      Refusal,
    );
  });
});
