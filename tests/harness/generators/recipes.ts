import { unique } from '../service.js';
import type { ApiOperation } from './operations.js';
import type { GeneratedRequest } from './exchange.js';
import { type Caller, Place } from './place.js';
import { type Draw, type Schema, resolved, valueOf } from './values.js';

type Body = Record<string, unknown>;
type Recipe = (place: Place, caller: Caller, params: Record<string, string>) => Promise<Body> | Body;

/**
 * Bodies that the schema alone does not make valid: members that name something of the organization, or that hang
 * together.
 */
const recipes: Record<string, Recipe> = {
  applyBlueprint: () => ({
    blueprint_key: unique('bp'),
    resources: { skills: [{ key: 's', name: unique('skill'), instructions: 'x' }] },
  }),
  createSession: async (place) => ({ agent_id: await place.agentId(), mode: 'new' }),
  setBlueprintProtection: () => ({ protected: true }),
  updateAgent: () => ({ description: unique('text') }),
  updateRole: () => ({ description: unique('text') }),
  updatePrincipal: () => ({ description: unique('text') }),
  updateAction: () => ({ description: unique('text') }),
  updateTable: () => ({ description: unique('text') }),
  updateSession: () => ({ title: 'new' }),
  appendSessionMessages: () => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }),
  startTurn: () => ({ input: { content: Place.content() } }),
  invokeAgent: async (place) => ({
    agent_ref: { id: await place.agentId() },
    session: { mode: 'new' },
    input: { content: Place.content() },
  }),
  createAgent: () => ({ name: unique('agent'), visibility: 'organization' }),
  createInteraction: (place, caller) => place.interaction(caller),
  respondToInteraction: () => ({ answers: [{ question_id: 'q', text: 'an answer' }] }),
  reviewInteraction: () => ({ action: 'accept' }),
  createRole: () => ({ name: unique('role'), description: 'd', permissions: ['svc.resource.view'] }),
  createRoleAssignment: async (place) => ({ principal_id: await place.principalId(true), role_name: 'Viewer' }),
  createAPIKey: () => ({ name: unique('key'), role: 'Viewer' }),
  createToken: async (place) => ({
    agent_id: await place.agentId(),
    end_user: unique('person'),
    verbs: ['read'],
    ttl_seconds: 60,
  }),
  createAction: () => ({ name: unique('action'), endpoint_url: 'https://example.invalid/hook' }),
  createTable: (place) => place.table(),
  createTableRow: () => ({ data: { sku: unique('row') } }),
  updateTableRow: () => ({ data: { note: 'new' } }),
  upsertTableRow: () => ({ data: { sku: unique('row') } }),
  bulkCreateTableRows: () => ({ rows: [{ sku: unique('row') }] }),
  importSkill: () => ({ content: `---\nname: ${unique('skill')}\ndescription: d\n---\nDo it.` }),
  invokeAction: () => ({ input: {}, dry_run: true }),
  saveAgentMemoryEntry: () => ({ content: 'x', kind: 'fact' }),
  receiveEmail: async (place) => ({ from: 'a@example.com', to: [await place.inboxAddress()], text: 'x' }),
  receiveMessage: (place) => place.message(),
  receiveProviderEvent: () => ({ id: unique('event'), event_type: 'crm.event', integration_id: 'i', event: { a: 1 } }),
  replaceAgentSkillAssignments: async (place) => ({
    skill_ids: [(await place.target('getSkill', place.nobody))['skill_id']],
  }),
  replaceAgentMembers: async (place) => ({ principal_ids: [await place.principalId()] }),
  addAgentMembers: async (place) => ({ principal_ids: [await place.principalId()] }),
  saveAgentMessagingBinding: async (place) => ({ provider: 'slack', integration_id: await place.channel() }),
  promoteAgentMemoryEntry: async (place, _caller, params) => ({
    user_id: params.user_id ?? (await place.principalId()),
  }),
  createRoutine: (place) => place.routine(),
  updateRoutine: () => ({ instructions: unique('text') }),
  createWebhook: (place) => place.webhook(),
  updateWebhook: () => ({ description: unique('text') }),
  enableWebhook: () => ({}),
  redeliverWebhookEvents: () => ({ since: '2026-01-01T00:00:00.000Z', until: '2026-01-01T00:01:00.000Z' }),
  createConnection: (place) => place.connection(),
  saveProvider: (place) => place.provider(),
  authorizeConnection: () => ({ return_to: 'https://example.com/back' }),
  completeConnectionAuthorization: () => ({ receipt: unique('receipt') }),
  updateConnection: () => ({ name: unique('account') }),
  replaceConnectionGrants: async (place) => ({ principal_ids: [await place.principalId()], everyone: false }),
  rotateConnection: () => ({ secret: unique('another-secret') }),
  addRoutinePrincipal: async (place, caller) => ({
    principal_id: caller.principalId || (await place.principalId(true)),
    relationship: 'follower',
  }),
  replaceOAuthReturnOrigins: () => ({ origins: [`https://${unique('app')}.example.com`] }),
  updateResourceOwnership: async (place) => ({ owner: { kind: 'person', id: (await place.answerer()).id } }),
  createArtifact: () => ({ file: 'text', name: unique('file') }),
  createSessionAttachment: () => ({ file: 'text', name: unique('file') }),
};

/** Required query parameters that the contract states only in words. */
const queries: Record<string, Record<string, string>> = {
  previewAgentVisibilityChange: { visibility: 'organization' },
};

/** Only what is required, the plainest of every choice. */
export const plainest: Draw = {
  member: () => false,
  branch: () => 0,
  items: (min) => min,
  whole: (min) => min,
  known: (name) => (name === 'visibility' ? 'organization' : null),
  anything: () => ({}),
  text: (name, max) => unique(name || 'x').slice(0, max),
};

export function schemaOf(operation: ApiOperation): Schema | null {
  return operation.bodySchema === null ? null : resolved(operation.bodySchema as Schema);
}

/** The smallest body of the operation that the service accepts in this organization; undefined for one without. */
export async function bodyOf(
  operation: ApiOperation,
  place: Place,
  caller: Caller,
  params: Record<string, string>,
): Promise<Body | undefined> {
  const schema = schemaOf(operation);
  if (!schema) return undefined;
  const recipe = recipes[operation.id];
  return recipe ? recipe(place, caller, params) : (valueOf(schema, plainest) as Body);
}

/**
 * A request that this organization's own callers may send: targets of it, the smallest body, required query parameters.
 */
export async function requestTo(
  operation: ApiOperation,
  place: Place,
  caller: Caller,
  isNew = false,
): Promise<GeneratedRequest> {
  const params = await place.target(operation.id, caller, isNew);
  const body = await bodyOf(operation, place, caller, params);
  const asked = operation.query
    .filter(({ required }) => required)
    .map(({ name, schema }) => [name, String(valueOf(schema, plainest, name, 1))]);
  const query = { ...(Object.fromEntries(asked) as Record<string, string>), ...queries[operation.id] };
  return { operation, params, query, ...(body === undefined ? {} : { body }) };
}
