import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CallerCommand, Routed, loadContract } from '@aos/platform';
import type { Operation } from '@aos/platform';
import { ownerOfCommand, ownersOf, serviceNames, unserved } from './services.js';

@Routed('interactions.note', { stream: 'interaction', input: {} })
@Routed('operators.note', { service: 'access-service', input: {} })
@Routed('projections.note', { service: 'every', input: {} })
export class Note extends CallerCommand<null, null> {}

const contract = loadContract();
const ownerOf = (operationId: string) => ownersOf(contract).get(contract.operation(operationId));

describe('which service answers', () => {
  it('is one for every operation of the contract', () => {
    const owners = ownersOf(contract);
    expect(contract.operations.length).toBeGreaterThan(100);
    expect(owners.size).toBe(contract.operations.length);
    for (const service of serviceNames) expect([...owners.values()]).toContain(service);
  });

  it.each([
    ['invokeAgent', 'session-service'],
    ['listAgents', 'blueprint-service'],
    ['streamSession', 'stream-service'],
    ['getSessionTurnLive', 'stream-service'],
    ['getSessionTurn', 'session-service'],
    ['listRoles', 'access-service'],
    ['createInteraction', 'interaction-service'],
    ['healthz', 'gateway'],
    ['openWorkerSocket', 'session-service'],
    ['interactionInboxPage', 'interaction-service'],
    ['listCatalogEvents', 'stream-service'],
    ['listArtifacts', 'session-service'],
    ['getSignedContent', 'session-service'],
    ['receiveOAuthCallback', 'blueprint-service'],
    ['createSessionAttachment', 'session-service'],
    ['updateResourceOwnership', 'blueprint-service'],
  ])('%s: %s', (operationId, owner) => expect(ownerOf(operationId)).toBe(owner));

  it('is no service for the operations that README.md names', () => {
    const readme = readFileSync(join(__dirname, '../../../../README.md'), 'utf8');
    const section = readme.slice(readme.indexOf('## Not served yet')).split('\n## ')[0] ?? '';
    const named = [...section.matchAll(/`([a-z]\w+)`/g)].map(([, name]) => name).filter((name) => name !== 'not_found');
    expect(named.sort()).toEqual([...unserved].sort());
  });

  it('is refused when an operation has no owner, two, or the table is out of date', () => {
    const operation = (operationId: string, tags: string[]) => ({ operationId, tags }) as unknown as Operation;
    expect(() => ownersOf({ operations: [operation('x', ['unheard'])] })).toThrow('x has 0 owners');
    expect(() => ownersOf({ operations: [operation('x', ['agents', 'sessions'])] })).toThrow('x has 2 owners');
    expect(() => ownersOf({ operations: [operation('x', ['agents'])] })).toThrow('no invokeAgent');
  });

  it('follows from the stream or the service that a command declares', () => {
    expect(ownerOfCommand('interactions.note')).toBe('interaction-service');
    expect(ownerOfCommand('operators.note')).toBe('access-service');
    expect(ownerOfCommand('projections.note')).toBeNull();
    expect(ownerOfCommand('unheard.of')).toBeNull();
  });
});
