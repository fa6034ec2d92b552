import type { FastifyInstance } from 'fastify';
import type { Contract, Operation } from '@aos/platform';

export const serviceNames = [
  'session-service',
  'blueprint-service',
  'interaction-service',
  'access-service',
  'stream-service',
] as const;
/** A service behind the gateway. */
export type ServiceName = (typeof serviceNames)[number];
/** Owner of an operation: a service, the gateway, or none (the path is not routed). */
export type Owner = ServiceName | 'gateway' | 'nobody';

/** Each tag of the contract belongs to one service (architecture, What runs). */
const ownerOfTag: Readonly<Record<string, Owner>> = {
  sessions: 'session-service',
  turns: 'session-service',
  nudges: 'session-service',
  workers: 'session-service',
  artifacts: 'session-service',
  billing: 'session-service',
  agents: 'blueprint-service',
  skills: 'blueprint-service',
  actions: 'blueprint-service',
  catalog: 'blueprint-service',
  tables: 'blueprint-service',
  memory: 'blueprint-service',
  blueprints: 'blueprint-service',
  ownership: 'blueprint-service',
  messaging: 'blueprint-service',
  routines: 'blueprint-service',
  interactions: 'interaction-service',
  access: 'access-service',
  organization: 'access-service',
  streams: 'stream-service',
  events: 'stream-service',
  operations: 'gateway',
};

/** Operations whose service is another one than their tag's. */
const ownerOfOperation: Readonly<Record<string, Owner>> = {
  invokeAgent: 'session-service',
  invokeAction: 'session-service',
  listActionInvocations: 'session-service',
  listRoutineOccurrences: 'session-service',
  runRoutineNow: 'session-service',
  getSessionTurnLive: 'stream-service',
  listCatalogEvents: 'stream-service',
  interactionInboxPage: 'interaction-service',
  interactionAnswerPage: 'interaction-service',
};

/** Operations of the contract that come later (its tier 3): they answer 404, and README.md names them. */
export const unserved: ReadonlySet<string> = new Set([
  'updateResourceOwnership',
  'listAgentMembers',
  'replaceAgentMembers',
  'addAgentMembers',
  'removeAgentMember',
  'previewAgentVisibilityChange',
  'listAgentMessagingBindings',
  'saveAgentMessagingBinding',
  'deleteAgentMessagingBinding',
  'promoteAgentMemoryEntry',
  'revertAgentMemoryPromotion',
  'createSessionAttachment',
  'deleteSessionAttachment',
  'listArtifacts',
  'createArtifact',
  'getArtifact',
  'deleteArtifact',
  'getArtifactContent',
  'createArtifactSignedUrl',
  'getArtifactStorageQuota',
  'listBillingUsageEvents',
  'getOAuthReturnOrigins',
  'replaceOAuthReturnOrigins',
]);

/**
 * Which service answers each operation.
 *
 * Gives    one owner for every operation of the contract.
 * Refuses  a contract with an operation without an owner or with two owners, and a table that names an operation the
 *          contract lacks: the gateway does not start.
 */
export function ownersOf(contract: Pick<Contract, 'operations'>): ReadonlyMap<Operation, Owner> {
  const faults: string[] = [];
  const owners = new Map<Operation, Owner>();
  for (const operation of contract.operations) {
    const found = new Set(operation.tags.map((tag) => ownerOfTag[tag]).filter((owner) => owner !== undefined));
    const owner = unserved.has(operation.operationId)
      ? 'nobody'
      : (ownerOfOperation[operation.operationId] ?? (found.size === 1 ? [...found][0] : undefined));
    if (owner === undefined) faults.push(`${operation.operationId} has ${found.size} owners`);
    else owners.set(operation, owner);
  }
  const known = new Set(contract.operations.map(({ operationId }) => operationId));
  for (const operationId of [...Object.keys(ownerOfOperation), ...unserved])
    if (!known.has(operationId)) faults.push(`the contract has no ${operationId}`);
  if (owners.size === 0) faults.push('the contract has no operations');
  if (faults.length > 0) throw new Error(`routing of operations: ${faults.join('; ')}`);
  return owners;
}

/**
 * Keeps a service to its own operations: a module that brings routes of another one along does not start.
 * Called before the routes are added. Health, metrics and the document belong to every service.
 */
export function ownOperationsOnly(name: ServiceName, server: FastifyInstance, contract: Contract): void {
  const owners = ownersOf(contract);
  server.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) {
      const operation = contract.find(each === 'HEAD' ? 'GET' : each, url);
      const owner = operation && owners.get(operation);
      if (owner && owner !== name && owner !== 'gateway')
        throw new Error(`${each} ${url} belongs to ${owner}, not to ${name}`);
    }
  });
}

/** Which service carries out the commands of a noun (`CommandHandlers`): the one that writes its streams. */
const ownerOfNoun: Readonly<Record<string, ServiceName>> = {
  sessions: 'session-service',
  turns: 'session-service',
  nudges: 'session-service',
  invocations: 'session-service',
  occurrences: 'session-service',
  agents: 'blueprint-service',
  skills: 'blueprint-service',
  actions: 'blueprint-service',
  tables: 'blueprint-service',
  rows: 'blueprint-service',
  memory: 'blueprint-service',
  memories: 'blueprint-service',
  blueprints: 'blueprint-service',
  bindings: 'blueprint-service',
  routines: 'blueprint-service',
  interactions: 'interaction-service',
  organizations: 'access-service',
  principals: 'access-service',
  roles: 'access-service',
  keys: 'access-service',
  emails: 'stream-service',
  events: 'stream-service',
  inbound: 'stream-service',
  relays: 'stream-service',
};

/** Takes a command's name such as `interactions.open`; null for a noun without an owner. */
export function ownerOfCommand(name: string): ServiceName | null {
  return ownerOfNoun[name.split('.', 1)[0] ?? ''] ?? null;
}
