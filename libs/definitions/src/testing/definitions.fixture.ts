import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import {
  impliedPermissions,
  type Clock,
  type EventStore,
  type Identity,
  type JsonObject,
  type PrincipalKind,
  type ReadStore,
} from '@aos/kernel';
import { CountingIds, ManualClock } from '@aos/kernel/testing';
import { MemoryBlobs, MemoryEventStore, MemoryLiveBus, MemoryReadStore, MemorySnapshots } from '@aos/adapters/memory';
import { CursorSeal, Decisions, KeyRing, Payloads, WriterProjections, loadSettings } from '@aos/platform';
import { AgentDirectory } from '../agent/agent-directory.js';
import { agentsProjection } from '../agent/agent.projection.js';
import { AssignSkillsHandler, CreateAgentHandler, ProvisionInboxHandler } from '../agents/agents.handlers.js';
import { AgentQueries } from '../agents/agents.queries.js';
import { Principals } from '../definition/people.js';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { DefinitionWriter } from '../names/definition-writer.js';
import { Claims } from '../names/claims.js';
import { skillsProjection } from '../skill/skill.projection.js';
import { ChangeDefinition, CreateDefinition, DeleteDefinition } from '../resources/definitions.commands.js';
import {
  ChangeDefinitionHandler,
  CreateDefinitionHandler,
  DeleteDefinitionHandler,
} from '../resources/definitions.handlers.js';
import { DefinitionQueries } from '../resources/definitions.queries.js';
import type { ResourceKind, ResourceTypes } from '../resources/resource-kind.js';
import type { SchemaChecker } from '../schemas/schema-checker.js';
import { ActionCatalog } from '../grants/action-catalog.js';
import { ToolQueries } from '../grants/tools.queries.js';
import { anyKey, resourceServices } from './resource-services.fixture.js';

export const orgId = 'org_00000000000000000000000001';

/** A caller of the organization; software with build unless said otherwise. */
export function caller(
  kind: PrincipalKind = 'service',
  permission = 'svc.resource.build',
  principalId = `${kind}_1`,
  org = orgId,
): Identity {
  return {
    orgId: org,
    principalId,
    kind,
    apiKeyId: 'cred_1',
    permissions: impliedPermissions([permission]),
    roles: [],
    cap: null,
    requestId: 'req-1',
    ip: null,
  };
}

export const backend = caller();
export const admin = caller('service', 'svc.org.admin', 'svc_admin');
export const person = caller('human', 'svc.resource.build', 'user_ann');
export const otherPerson = caller('human', 'svc.resource.build', 'user_bob');

/** Ann and Bob are people, the rest is software. */
class KnownPrincipals extends Principals {
  override async kindOf(org: string, principalId: string): Promise<PrincipalKind | null> {
    if (org !== orgId) return null;
    return principalId.startsWith('user_') ? 'human' : principalId.startsWith('service_') ? 'service' : null;
  }

  override async findFor(who: Identity, principalId: string): Promise<object | null> {
    const kind = await this.kindOf(who.orgId, principalId);
    return kind && { kind };
  }
}

/** One process of blueprint-service; several may share a log and its read models. */
export function definitionsProcess(
  world: Omit<World, 'store'> & { store: EventStore },
  options: { keys?: KeyRing; checker?: SchemaChecker } = {},
) {
  const { store, readStore, blobs, clock, ids } = world;
  const projections = new WriterProjections(readStore);
  projections.register(agentsProjection);
  projections.register(skillsProjection);
  const payloads = new Payloads(blobs);
  const bus = new MemoryLiveBus({
    clock,
    onTrouble: (error) => {
      throw error;
    },
  });
  const decisions = new Decisions(store, new MemorySnapshots(), payloads, bus, projections, clock, ids);
  const streams = new DefinitionStreams(decisions, payloads);
  const claims = new Claims(streams, clock, ids);
  const writer = new DefinitionWriter(streams, claims);
  const seal = new CursorSeal(anyKey);
  const agents = new AgentDirectory(streams, claims);
  const catalog = new ActionCatalog();
  const parts = { readStore, streams, claims, writer, clock, ids };
  const services = resourceServices(parts, { principals: new KnownPrincipals(), ...options });
  const { lists, skills, signing } = services;
  const queries = new DefinitionQueries(lists, streams, claims);
  const creating = new CreateDefinitionHandler(writer, services, clock, ids);
  const changing = new ChangeDefinitionHandler(writer, queries, services, clock);
  const deleting = new DeleteDefinitionHandler(writer, queries, services, clock);
  const settings = loadSettings({ SVC_INBOX_DOMAIN: 'inbox.example' }, 'embedded');
  return {
    decisions,
    streams,
    claims,
    writer,
    lists,
    agents,
    skills,
    catalog,
    projections,
    payloads,
    seal,
    signing,
    queries,
    create: <T extends ResourceTypes>(resource: ResourceKind<T>, who: Identity, body: T['created']) =>
      creating.execute(new CreateDefinition(who, { resource, body })),
    change: <T extends ResourceTypes>(resource: ResourceKind<T>, who: Identity, ref: string, body: T['changed']) =>
      changing.execute(new ChangeDefinition(who, { resource, ref, body })),
    remove: <T extends ResourceTypes>(resource: ResourceKind<T>, who: Identity, ref: string) =>
      deleting.execute(new DeleteDefinition(who, { resource, ref })),
    createAgent: new CreateAgentHandler(writer, claims, services, clock, ids),
    assignSkills: new AssignSkillsHandler(writer, streams, skills, clock),
    provisionInbox: new ProvisionInboxHandler(writer, settings, clock),
    agentQueries: new AgentQueries(streams, skills),
    toolQueries: new ToolQueries(agents, skills, catalog),
  };
}

export interface World {
  store: MemoryEventStore;
  readStore: ReadStore;
  blobs: MemoryBlobs;
  clock: ManualClock & Clock;
  ids: CountingIds;
}

/** `replicas: true`: other processes may write the log, so no folded state is taken as fresh. */
export function newWorld({ replicas = false } = {}): World {
  const clock = new ManualClock();
  return {
    store: new MemoryEventStore({ clock, soleWriter: !replicas }),
    readStore: new MemoryReadStore(),
    blobs: new MemoryBlobs(),
    clock,
    ids: new CountingIds(),
  };
}

const contract = parse(readFileSync(join(__dirname, '../../../../contract/openapi.yaml'), 'utf8')) as {
  components: { schemas: Record<string, JsonObject> };
};
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: 'contract', components: withoutMappings(contract.components) as JsonObject });

/** Fails with the validator's words when a value is not the contract's schema of that name. */
export function expectContract(schema: string, value: unknown): void {
  const check = ajv.getSchema(`contract#/components/schemas/${schema}`);
  if (!check) throw new Error(`the contract has no schema ${schema}`);
  if (!check(value)) throw new Error(`${schema}: ${ajv.errorsText(check.errors)}\n${JSON.stringify(value, null, 1)}`);
}

/** The validator takes no `mapping` of a discriminator. */
function withoutMappings(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMappings);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([member]) => member !== 'discriminator')
      .map(([member, inner]) => [member, withoutMappings(inner)]),
  );
}
