import { randomUUID } from 'node:crypto';
import { Client } from './client.js';
import { eventually } from './waiting.js';
import {
  type Agent,
  type Block,
  finalStatuses,
  type IssuedKey,
  type Message,
  type MessagesPage,
  type Session,
  type Turn,
  type TurnAck,
} from './wire.js';

export const scriptedModel = 'svc-scripted-1';
/** Plays until somebody stops it: far longer than any test. */
const timedRequests = 3;
const atLeastMs = 3_000;
/** What changes something takes longer than the read that is timed, and a machine may grow slower. */
const timesLonger = 10;
export const endlessScript = JSON.stringify({ script: [{ wait_ms: 600_000 }, { say: 'too late' }] });

/**
 * A name that nothing else in the organization bears: suites share one organization and never see each other's agents.
 */
export function unique(prefix: string): string {
  return `${prefix}-${randomUUID().replaceAll('-', '').slice(0, 16)}`;
}

export const text = (said: string): Block => ({ type: 'text', text: said });
export const script = (...steps: object[]): string => JSON.stringify({ script: steps });

/** An organization-visible agent on the scripted model. */
export function createAgent(api: Client, fields: Record<string, unknown> = {}): Promise<Agent> {
  return api.post<Agent>(
    '/v1/agents',
    { name: unique('agent'), visibility: 'organization', model: scriptedModel, ...fields },
    201,
  );
}

export interface Invocation {
  session?: Record<string, unknown>;
  key?: string;
  context?: { name: string; content: string }[];
  operation?: { timeout_seconds: number };
  metadata?: Record<string, unknown>;
}

export function invokeBody(
  agentId: string,
  input: string | Block[],
  { session, key, context, operation, metadata }: Invocation = {},
): Record<string, unknown> {
  return {
    agent_ref: { id: agentId },
    ...(session ? { session } : { session: { mode: 'new' } }),
    input: {
      content: typeof input === 'string' ? [text(input)] : input,
      ...(key === undefined ? {} : { idempotency_key: key }),
      ...(context ? { context } : {}),
      ...(metadata ? { metadata } : {}),
    },
    ...(operation ? { operation } : {}),
  };
}

/** Invokes the agent, in a new session unless one is named, and gives the acknowledgement. */
export function invoke(api: Client, agentId: string, input: string | Block[], how: Invocation = {}): Promise<TurnAck> {
  return api.post<TurnAck>('/v1/agents/invoke', invokeBody(agentId, input, how), 202);
}

/** Starts a turn on a session by the canonical body. */
export function startTurn(api: Client, sessionId: string, input: string | Block[], key?: string): Promise<TurnAck> {
  const content = typeof input === 'string' ? [text(input)] : input;
  return api.post<TurnAck>(
    `/v1/sessions/${sessionId}/turns`,
    { input: { content, ...(key === undefined ? {} : { idempotency_key: key }) } },
    202,
  );
}

export function createSession(api: Client, agentId: string, fields: Record<string, unknown> = {}): Promise<Session> {
  return api.post<Session>('/v1/sessions', { agent_id: agentId, ...fields }, 200);
}

export function readTurn(api: Client, turn: { session_id: string; turn_id: string }): Promise<Turn> {
  return api.get<Turn>(`/v1/sessions/${turn.session_id}/turns/${turn.turn_id}`);
}

/** Waits until the turn is final. */
export function settled(api: Client, turn: { session_id: string; turn_id: string }, withinMs?: number): Promise<Turn> {
  return eventually(
    `a final state of ${turn.turn_id}`,
    async () => {
      const now = await readTurn(api, turn);
      return finalStatuses.includes(now.status) ? now : null;
    },
    withinMs,
  );
}

/** Waits until the turn has this status. */
export function reaches(
  api: Client,
  turn: { session_id: string; turn_id: string },
  status: string,
  withinMs?: number,
): Promise<Turn> {
  return eventually(
    `${status} of ${turn.turn_id}`,
    async () => {
      const now = await readTurn(api, turn);
      return now.status === status ? now : null;
    },
    withinMs,
  );
}

/**
 * Milliseconds in which the service surely answers so many requests, by what one takes now: a turn that is to go on
 * meanwhile takes longer on a slow machine.
 */
export async function timeFor(api: Client, requests: number): Promise<number> {
  const from = performance.now();
  for (let asked = 0; asked < timedRequests; asked += 1) await api.get('/v1/me');
  const oneMs = (performance.now() - from) / timedRequests;
  return Math.ceil(Math.max(atLeastMs, oneMs * requests * timesLonger));
}

/** Invokes and waits for the end. */
export async function converse(
  api: Client,
  agentId: string,
  input: string | Block[],
  how: Invocation = {},
): Promise<{ ack: TurnAck; turn: Turn }> {
  const ack = await invoke(api, agentId, input, how);
  return { ack, turn: await settled(api, ack) };
}

export function cancelTurn(api: Client, turn: { session_id: string; turn_id: string }): Promise<Turn> {
  return api.post<Turn>(`/v1/sessions/${turn.session_id}/turns/${turn.turn_id}/cancel`, undefined, 200);
}

/** Every row of a session, page by page; hidden ones by the query. */
export async function allRows(
  api: Client,
  sessionId: string,
  query: Record<string, string | number | boolean> = {},
): Promise<Message[]> {
  const rows: Message[] = [];
  for (let after = 0; rows.length <= 20_000;) {
    const page = await api.get<MessagesPage>(`/v1/sessions/${sessionId}/messages`, {
      limit: 100,
      after_sequence: after,
      ...query,
    });
    rows.push(...page.items);
    if (!page.has_more) return rows;
    const next = page.items.at(-1)?.sequence;
    if (next === undefined || next <= after) throw new Error(`the page after ${after} has more but leads nowhere`);
    after = next;
  }
  throw new Error('more rows than any test writes');
}

export const rowsWithContext = (api: Client, sessionId: string): Promise<Message[]> =>
  allRows(api, sessionId, { include: 'context' });
export const said = (message: { content: Block[] } | undefined): string =>
  (message?.content ?? []).map((block) => block.text ?? '').join('');

/** A key of the organization principal capped by a system role. */
export function issueKey(api: Client, role: 'Owner' | 'Admin' | 'User' | 'Viewer'): Promise<IssuedKey> {
  return api.post<IssuedKey>('/v1/api-keys', { name: unique(`key-${role.toLowerCase()}`), role }, 201);
}

/** A caller with that role and nothing more. */
export async function callerWith(api: Client, role: 'Owner' | 'Admin' | 'User' | 'Viewer'): Promise<Client> {
  return api.as((await issueKey(api, role)).key);
}

/** A person of the organization with a key. */
export async function person(
  api: Client,
  role: 'Owner' | 'Admin' | 'User' | 'Viewer' = 'User',
): Promise<{ id: string; client: Client }> {
  const roles = await api.get<{ items: { id: string; name: string }[] }>('/v1/roles', { limit: 100 });
  const roleId = roles.items.find((one) => one.name === role)?.id;
  if (roleId === undefined) throw new Error(`there is no role ${role}`);
  const human = await api.post<{ id: string }>(
    '/v1/principals',
    { name: unique('person'), kind: 'human', role_ids: [roleId] },
    201,
  );
  const issued = await api.post<IssuedKey>('/v1/api-keys', { name: unique('key'), principal_id: human.id }, 201);
  return { id: human.id, client: api.as(issued.key) };
}
