import { basePermissions, refusalStatus } from '@aos/kernel';
import { Refusal } from '@aos/kernel';
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
    const known = new Set<string>([...basePermissions, 'actions.execute.<provider>.<action>']);
    expect(contract.operations.length).toBeGreaterThan(130);
    for (const operation of contract.operations) {
      expect([operation.operationId, operation.permission === null ? operation.isPublic && operation.tags.includes('operations') : known.has(operation.permission)])
        .toEqual([operation.operationId, true]);
    }
  });

  it('has the error catalogue that the kernel has', () => {
    const catalogue = Object.fromEntries(Object.entries(contract.document['x-error-catalog']).map(([code, { status }]) => [code, status]));
    expect(catalogue).toEqual(refusalStatus);
  });

  it('compiles for every operation', () => {
    for (const operation of contract.operations) validators.prepare(operation);
  });

  it('knows larger bodies and streams', () => {
    expect(['invokeAgent', 'applyBlueprint', 'createAgent'].map((id) => contract.operation(id).bodyBytesMax / 1024 / 1024)).toEqual([8, 8, 1]);
    expect(contract.operations.filter(({ isEventStream }) => isEventStream).map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(['streamSession', 'streamSessionTranscript', 'streamSourceEvents']));
    expect(contract.find('GET', '/v1/agents/:agent_id')?.operationId).toBe('getAgent');
  });
});

describe('issues', () => {
  it('point at what was meant in a union', () => {
    expect(issuesFor('invokeAgent', { agent_ref: { id: 5 }, input: { content: [] } })).toContainEqual({ path: '/agent_ref/id', message: 'must be string' });
    expect(issuesFor('createRoleAssignment', { principal_id: 'p' })).toEqual([{ path: '', message: 'fits none of the allowed forms' }]);
    expect(issuesFor('createRoleAssignment', { principal_id: 'p', role_id: 'a', role_name: 'b' })).toEqual([{ path: '', message: 'fits more than one of the allowed forms' }]);
    expect(issuesFor('startTurn', {})).toEqual([{ path: '', message: 'fits none of the allowed forms' }]);
  });

  it('are at most 20, and quick for a large wrong body', () => {
    expect(issuesFor('createRole', { name: 'x', permissions: Array.from({ length: 100 }, () => 5) })).toHaveLength(20);
    const startedAt = performance.now();
    expect(() => validators.checkBody(contract.operation('bulkCreateTableRows'), { rows: Array.from({ length: 300_000 }, () => 1) }, 1_000_000)).toThrow(Refusal);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('read repeated names as a list, also one', () => {
    const operation = contract.operation('listSessionTurns');
    expect(validators.checkQuery(operation, { ids: 'a' })).toMatchObject({ ids: ['a'], limit: 20, order: 'asc' });
    expect(validators.checkQuery(operation, { ids: ['a', 'b'] })).toMatchObject({ ids: ['a', 'b'] });
    expect(() => validators.checkQuery(contract.operation('listSessionNudges'), { status: ['pending', 'nope'] })).toThrow(expect.objectContaining({ details: { issues: [expect.objectContaining({ path: 'query.status' })] } }) as Error);
    expect(() => validators.checkQuery(contract.operation('previewAgentVisibilityChange'), {})).toThrow(expect.objectContaining({ details: { issues: [{ path: 'query.visibility', message: 'is required' }] } }) as Error);
    expect(() => validators.checkQuery(contract.operation('listSourceEvents'), { since: 'yesterday' })).toThrow(Refusal);
  });
});
