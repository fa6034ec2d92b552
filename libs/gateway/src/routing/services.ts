import type { FastifyInstance } from 'fastify';
import { routedNamed, type Contract, type Operation } from '@aos/platform';

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

interface Owned {
  /** Tags of the contract; each belongs to one service. */
  tags: readonly string[];
  /** Operations whose tag belongs to another service. */
  operations: readonly string[];
  /**
   * Streams that it writes, by the category in front of their id: their projections run in it and nowhere else, and it
   * carries out the commands that write them. Two services write `name`, each for its own nouns.
   */
  streams: readonly string[];
}

/** The one table of ownership (ARCHITECTURE.md section 1). */
export const services: Readonly<Record<ServiceName, Owned>> = {
  'session-service': {
    tags: ['sessions', 'turns', 'nudges', 'workers', 'artifacts', 'billing', 'console'],
    operations: [
      'getSignedContent',
      'invokeAgent',
      'invokeAction',
      'listActionInvocations',
      'listRoutineOccurrences',
      'runRoutineNow',
      'receiveMessage',
      'finishDelivery',
      'reportDelivery',
    ],
    streams: [
      'session',
      'sessionkey',
      'invocation',
      'job',
      'occurrence',
      'artifact',
      'artifactquota',
      'exchange',
      'mailpace',
    ],
  },
  'blueprint-service': {
    tags: [
      'agents',
      'skills',
      'actions',
      'catalog',
      'tables',
      'memory',
      'blueprints',
      'ownership',
      'messaging',
      'routines',
      'connections',
    ],
    operations: ['receiveOAuthCallback'],
    streams: [
      'agent',
      'skill',
      'action',
      'table',
      'tablerow',
      'tablebatch',
      'memory',
      'memoryerasure',
      'blueprint',
      'routine',
      'proposal',
      'connection',
      'secret',
      'provider',
      'channel',
      'ref',
      'name',
    ],
  },
  'interaction-service': {
    tags: ['interactions'],
    operations: ['interactionInboxPage', 'interactionAnswerPage'],
    streams: ['interaction'],
  },
  'access-service': {
    tags: ['access', 'organization'],
    operations: [],
    streams: ['org', 'principal', 'apikey', 'role', 'token', 'name'],
  },
  'stream-service': {
    tags: ['streams', 'events', 'webhooks'],
    operations: ['getSessionTurnLive', 'listCatalogEvents'],
    streams: ['email', 'inbound', 'relay', 'webhook', 'hookpos'],
  },
};

function ownersBy(list: 'tags' | 'operations' | 'streams'): ReadonlyMap<string, ServiceName> {
  return new Map(serviceNames.flatMap((service) => services[service][list].map((each) => [each, service] as const)));
}

const ownerOfTag: ReadonlyMap<string, Owner> = new Map([...ownersBy('tags'), ['operations', 'gateway' as const]]);
const ownerOfOperation: ReadonlyMap<string, Owner> = ownersBy('operations');

/** Operations of the contract that come later (its tier 3): they answer 404, and README.md names them. */
export const unserved: ReadonlySet<string> = new Set<string>();

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
    const found = new Set(operation.tags.map((tag) => ownerOfTag.get(tag)).filter((owner) => owner !== undefined));
    const owner = unserved.has(operation.operationId)
      ? 'nobody'
      : (ownerOfOperation.get(operation.operationId) ?? (found.size === 1 ? [...found][0] : undefined));
    if (owner === undefined) faults.push(`${operation.operationId} has ${found.size} owners`);
    else owners.set(operation, owner);
  }
  const known = new Set(contract.operations.map(({ operationId }) => operationId));
  for (const operationId of [...ownerOfOperation.keys(), ...unserved])
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

const ownerOfStream = ownersBy('streams');

/** Takes a command's name such as `interactions.open`; null for one that no class loaded here declares. */
export function ownerOfCommand(name: string): ServiceName | null {
  const owner = routedNamed(name)?.owner;
  if (!owner) return null;
  if ('stream' in owner) return ownerOfStream.get(owner.stream) ?? null;
  return serviceNames.find((service) => service === owner.service) ?? null;
}
