import { type Client } from '../client.js';
import {
  endlessScript,
  scriptedModel,
  cancelTurn,
  converse,
  createAgent,
  createSession,
  invoke,
  person,
  script,
  settled,
  startTurn,
  text,
  unique,
} from '../service.js';
import { sendForm, upload } from '../uploads.js';
import type { IssuedKey } from '../wire.js';
import { operationNamed } from './operations.js';

/** Whoever sends a generated request. */
export interface Caller {
  name: string;
  client: Client;
  /** Its principal; empty when it has none. */
  principalId: string;
}

const generatedHook = 'https://example.invalid/events';
/** Of hooks that were made here, so many stay. */
const keptHooks = 12;

type Params = Record<string, string>;
type Make = (place: Place, have: Params, caller: Caller) => Promise<Params>;

const isPerson = (principalId: string): boolean => principalId.startsWith('user_');
const idOf = (record: { id: string }): string => record.id;
const post = <Made>(place: Place, path: string, body: unknown, expect = 201) =>
  place.owner.post<Made>(path, body, expect);

/** How a target for a path parameter comes to be; the first of a path's parameters may make those after it too. */
const makers: Record<string, Make> = {
  agent_id: async (place) => ({ agent_id: (await createAgent(place.owner, { memory_enabled: true })).id }),
  session_id: async (place) => ({
    session_id: (await createSession(place.owner, await place.agentId(), { mode: 'new' })).id,
  }),
  turn_id: async (place, { session_id: known }) => {
    const turn =
      known === undefined
        ? await invoke(place.owner, await place.agentId(), 'hello')
        : await startTurn(place.owner, known, 'hello');
    await settled(place.owner, turn);
    return { turn_id: turn.turn_id, session_id: turn.session_id };
  },
  nudge_id: async (place) => {
    const turn = await place.runningTurn();
    const nudge = await post<{ nudge_id?: string; id?: string; nudge?: { id: string } }>(
      place,
      `/v1/sessions/${turn.session_id}/nudges`,
      { content: 'later' },
      202,
    );
    return { session_id: turn.session_id, nudge_id: nudge.nudge_id ?? nudge.nudge?.id ?? nudge.id ?? '' };
  },
  interaction_id: async (place, _have, caller) => ({
    interaction_id: idOf(await post(place, '/v1/interactions', await place.interaction(caller))),
  }),
  role_id: async (place) => ({
    role_id: idOf(
      await post(place, '/v1/roles', { name: unique('role'), description: 'd', permissions: ['svc.resource.view'] }),
    ),
  }),
  assignment_id: async (place) => ({
    assignment_id: idOf(
      await post(place, '/v1/role-assignments', { principal_id: await place.principalId(true), role_name: 'Viewer' }),
    ),
  }),
  principal_id: async (place, have) => {
    const principalId = await place.principalId(true);
    if (have['agent_id'] !== undefined)
      await post(place, `/v1/agents/${have['agent_id']}/members`, { principal_ids: [principalId] }, 200);
    if (have['routine_id'] !== undefined)
      await post(
        place,
        `/v1/routines/${have['routine_id']}/principals`,
        { principal_id: principalId, relationship: 'follower' },
        200,
      );
    return { principal_id: principalId };
  },
  api_key_id: async (place) => ({
    api_key_id: (await post<IssuedKey>(place, '/v1/api-keys', { name: unique('key'), role: 'Viewer' })).id,
  }),
  skill_id: async (place) => ({
    skill_id: idOf(await post(place, '/v1/skills', { name: unique('skill'), instructions: 'x' })),
  }),
  action_name: async (place) => ({
    action_name: (
      await post<{ name: string }>(place, '/v1/actions', {
        name: unique('action'),
        endpoint_url: 'https://example.invalid/hook',
        annotations: { read_only: true },
      })
    ).name,
  }),
  table_id: async (place) => ({ table_id: idOf(await post(place, '/v1/tables', place.table())) }),
  row_id: async (place, { table_id: known }) => {
    const tableId = known ?? '';
    const { id } = await post<{ id: string }>(place, `/v1/tables/${tableId}/rows`, { data: { sku: unique('row') } });
    return { table_id: tableId, row_id: id };
  },
  memory_key: async (place, { agent_id: agentId }) => {
    const key = unique('memory');
    await place.owner.put(`/v1/agents/${agentId ?? ''}/memory/entries/${key}`, { content: 'x', kind: 'fact' }, 201);
    return { memory_key: key };
  },
  user_id: async (place) => ({ user_id: await place.principalId(true) }),
  blueprint_key: async (place) => {
    const key = unique('blueprint');
    await post(
      place,
      '/v1/blueprints/apply',
      { blueprint_key: key, resources: { skills: [{ key: 's', name: unique('skill'), instructions: 'x' }] } },
      200,
    );
    return { blueprint_key: key };
  },
  connection_id: async (place) => ({
    connection_id: idOf(await post(place, '/v1/connections', { ...place.connection(), owner: { kind: 'team' } })),
  }),
  provider: async (place) => {
    const provider = unique('provider').toLowerCase();
    await place.owner.put(`/v1/providers/${provider}`, place.provider());
    return { provider };
  },
  routine_id: async (place) => ({ routine_id: idOf(await post(place, '/v1/routines', await place.routine())) }),
  artifact_id: async (place, { session_id: sessionId }) => ({
    artifact_id: sessionId === undefined ? (await upload(place.owner, 'text')).id : await place.attached(sessionId),
  }),
  token: async (place) => {
    const { id } = await upload(place.owner, 'text');
    const { url } = await place.owner.post<{ url: string }>(`/v1/artifacts/${id}/signed-url`, undefined, 200);
    return { token: url.slice(url.lastIndexOf('/') + 1) };
  },
  webhook_id: async (place) => ({ webhook_id: idOf(await post(place, '/v1/webhooks', await place.webhook())) }),
  proposal_id: async () => ({ proposal_id: 'rprop_00000000000000000000000000' }),
  binding_id: async (place, { agent_id: agentId }) => ({
    binding_id: idOf(
      await place.owner.put<{ id: string }>(
        `/v1/agents/${agentId ?? ''}/messaging-bindings`,
        { provider: 'slack', integration_id: await place.channel() },
        200,
      ),
    ),
  }),
  resource_type: async (place) => ({
    resource_type: 'skill',
    resource_id: idOf(await post(place, '/v1/skills', { name: unique('skill'), instructions: 'x' })),
  }),
};

/** Targets that must have come somewhere before the operation can succeed. */
const prepared: Record<string, Make> = {
  deleteInteraction: async (place, _have, caller) => {
    const { id } = await caller.client.post<{ id: string }>('/v1/interactions', await place.interaction(caller), 201);
    await caller.client.post(`/v1/interactions/${id}/cancel`, {}, 200);
    return { interaction_id: id };
  },
  authorizeConnection: async (place) => ({ connection_id: await place.unauthorized() }),
  promoteAgentMemoryEntry: async (place, _have, caller) => place.remembered(caller),
  revertAgentMemoryPromotion: async (place, _have, caller) => {
    const params = await place.remembered(caller);
    const path = `/v1/agents/${params.agent_id}/memory/entries/${params.memory_key}/promotion`;
    await caller.client.send('POST', path, { body: { user_id: params.user_id } });
    return params;
  },
  approveRoutineProposal: async (place, _have, caller) => ({ proposal_id: await place.proposed(caller) }),
  dismissRoutineProposal: async (place, _have, caller) => ({ proposal_id: await place.proposed(caller) }),
  resumeRoutine: async (place) => {
    const id = idOf(await post(place, '/v1/routines', await place.routine()));
    await post(place, `/v1/routines/${id}/pause`, undefined, 200);
    return { routine_id: id };
  },
  cancelSession: (place) => place.runningTurn(),
  cancelTurn: (place) => place.runningTurn(),
  reviewInteraction: async (place, _have, caller) => {
    const answerer = await place.answerer();
    const reviewed = { resolution_policy: { type: 'any_of', review: { reviewer_user_ids: [caller.principalId] } } };
    const { id } = await post<{ id: string }>(place, '/v1/interactions', {
      ...(await place.interaction({ ...caller, principalId: answerer.id })),
      ...reviewed,
    });
    await answerer.client.post(`/v1/interactions/${id}/respond`, { answers: [{ question_id: 'q', text: 'x' }] }, 200);
    return { interaction_id: id };
  },
};

/** One organization as generated requests find it: targets of every kind, made when they are first needed. */
export class Place {
  private readonly kept = new Map<string, Promise<Params>>();
  private agent: Promise<string> | null = null;
  private principal: Promise<string> | null = null;
  private person: Promise<{ id: string; client: Client }> | null = null;
  private second: Promise<Caller> | null = null;
  private inbox: Promise<string> | null = null;
  readonly openTurns: { session_id: string; turn_id: string }[] = [];
  readonly nobody: Caller;

  constructor(readonly owner: Client) {
    this.nobody = { name: 'nobody', client: owner, principalId: '' };
  }

  /** Path parameters of an operation, all of this organization; the same each time unless asked for new ones. */
  target(operationId: string, caller: Caller, isNew = false): Promise<Params> {
    const { pathParameters } = operationNamed(operationId);
    const key = `${pathParameters.join()} ${pathParameters.includes('interaction_id') ? caller.principalId : ''}`;
    if (isNew) return prepared[operationId]?.(this, {}, caller) ?? this.make(pathParameters, caller);
    const made = this.kept.get(key) ?? this.make(pathParameters, caller);
    this.kept.set(key, made);
    return made;
  }

  private async make(names: readonly string[], caller: Caller): Promise<Params> {
    const params: Params = {};
    const joint =
      names.includes('nudge_id') || names.includes('turn_id') ? names.filter((name) => name !== 'session_id') : names;
    for (const name of joint) {
      if (name in params) continue;
      const maker = makers[name];
      Object.assign(params, maker ? await maker(this, params, caller) : { [name]: 'unknown_00000000000000000000' });
    }
    return params;
  }

  /** A turn that would go on, in a session of its own. */
  async runningTurn(): Promise<{ session_id: string; turn_id: string }> {
    const { session_id: sessionId, turn_id: turnId } = await invoke(this.owner, await this.agentId(), endlessScript);
    const turn = { session_id: sessionId, turn_id: turnId };
    this.openTurns.push(turn);
    return turn;
  }

  agentId(): Promise<string> {
    this.agent ??= createAgent(this.owner, { memory_enabled: true }).then(idOf);
    return this.agent;
  }

  /** A service principal without roles. */
  principalId(isNew = false): Promise<string> {
    const make = () => this.owner.post<{ id: string }>('/v1/principals', { name: unique('principal') }, 201).then(idOf);
    if (isNew) return make();
    this.principal ??= make();
    return this.principal;
  }

  /** A person who can be asked. */
  answerer(): Promise<{ id: string; client: Client }> {
    this.person ??= person(this.owner);
    return this.person;
  }

  /** A person who may do everything. */
  ownerPerson(): Promise<Caller> {
    this.second ??= person(this.owner, 'Owner').then(({ id, client }) => ({
      name: 'a person',
      client,
      principalId: id,
    }));
    return this.second;
  }

  /** Asked of the caller, or of somebody. */
  async interaction({ principalId }: Caller): Promise<Record<string, unknown>> {
    return {
      kind: 'request_information',
      title: 'q',
      target_user_ids: [principalId || (await this.answerer()).id],
      spec: { questions: [{ id: 'q', prompt: 'p', mode: 'input' }] },
    };
  }

  /** An address at which an agent takes mail. */
  inboxAddress(): Promise<string> {
    this.inbox ??= this.agentId().then(
      async (id) =>
        (await this.owner.post<{ email_address: string }>(`/v1/agents/${id}/inbox`, undefined, 200)).email_address,
    );
    return this.inbox;
  }

  table(): Record<string, unknown> {
    return {
      name: unique('t').replaceAll('-', '_'),
      schema: {
        identity_column: 'sku',
        columns: [
          { name: 'sku', type: 'string', required: true },
          { name: 'note', type: 'string' },
        ],
      },
    };
  }

  /** An organization has 50 hooks at most: some of those that were made here before go. */
  async webhook(): Promise<Record<string, unknown>> {
    const { items } = await this.owner.get<{ items: { id: string; url: string }[] }>('/v1/webhooks', { limit: 100 });
    const made = items.filter(({ url }) => url === generatedHook);
    for (const { id } of made.slice(keptHooks)) await this.owner.send('DELETE', `/v1/webhooks/${id}`); // another one may have
    return { url: generatedHook, event_types: ['session.message.created'] };
  }

  connection(): Record<string, unknown> {
    return { name: unique('account'), kind: 'api_key', hosts: ['https://api.example.com'], secret: unique('a-secret') };
  }

  /** Its issuer is at no address, so nothing is asked. */
  provider(): Record<string, unknown> {
    const issuer = 'https://issuer.invalid';
    const [authorization_endpoint, token_endpoint] = [`${issuer}/authorize`, `${issuer}/token`];
    const client = { client_id: 'client', client_secret: unique('a-secret') };
    return { ...client, issuer, authorization_endpoint, token_endpoint, hosts: ['https://api.example.com'] };
  }

  /** A file that is attached to a session. */
  async attached(sessionId: string): Promise<string> {
    const file = ['file', Buffer.from('text'), 'file.txt'] as const;
    const { body } = await sendForm(this.owner, [file], { path: `/v1/sessions/${sessionId}/attachments` });
    return (body as { artifact: { id: string } }).artifact.id;
  }

  /** An account of a provider that waits for its authorization, and may lead back to where the requests say. */
  async unauthorized(): Promise<string> {
    await this.owner.put('/v1/organization/oauth-return-origins', { origins: ['https://example.com'] });
    const provider = unique('provider').toLowerCase();
    await this.owner.put(`/v1/providers/${provider}`, this.provider());
    const account = { name: unique('account'), kind: 'oauth2_authorization_code', provider, owner: { kind: 'team' } };
    return idOf(await post(this, '/v1/connections', account));
  }

  /** An entry that an agent keeps of the caller; of a caller that is no person one that is not there. */
  async remembered({ client, principalId }: Caller) {
    const userId = principalId || (await this.principalId());
    const params = { agent_id: await this.agentId(), memory_key: unique('memory'), user_id: userId };
    if (!isPerson(principalId)) return params;
    const path = `/v1/agents/${params.agent_id}/memory/entries/${params.memory_key}`;
    await client.put(path, { content: 'x', kind: 'fact', user_id: principalId }, 201);
    return params;
  }

  /** A routine that an agent proposed to the caller; none to a caller that is no person. */
  async proposed({ client, principalId }: Caller): Promise<string> {
    if (!isPerson(principalId)) return 'rprop_00000000000000000000000000';
    const agent = await createAgent(this.owner, {
      action_selectors: [{ selector_type: 'exact', selector: 'svc.routine.propose' }],
    });
    const request = { ...(await this.routine()), agent_id: agent.id, name: unique('proposed') };
    const call = { call: { name: 'svc_routine_propose', input: { request, reason: 'x' } } };
    const { session_id: made } = (await converse(client, agent.id, script(call, { say: 'done' }))).ack;
    const { items } = await client.get<{ items: { id: string; session_id: string }[] }>('/v1/routines/proposals');
    const found = items.find(({ session_id: id }) => id === made);
    if (!found) throw new Error('nothing was proposed');
    return found.id;
  }

  /** An account for messages that every principal of the organization may use. */
  async channel(): Promise<string> {
    const origin = 'https://api.example.com';
    const kind = 'channel_webhook';
    const account = {
      name: unique('channel'),
      kind,
      hosts: [origin],
      url: `${origin}/bridge`,
      owner: { kind: 'team' },
    };
    const id = idOf(await post(this, '/v1/connections', account));
    await this.owner.put(`/v1/connections/${id}/grants`, { principal_ids: [], everyone: true });
    return id;
  }

  async message(): Promise<Record<string, unknown>> {
    return {
      id: unique('message'),
      provider: 'slack',
      integration_id: await this.channel(),
      channel: { id: 'D1', kind: 'dm' },
      sender: { id: 'U1' },
      text: 'x',
    };
  }

  async routine(): Promise<Record<string, unknown>> {
    return {
      agent_id: await this.agentId(),
      instructions: 'x',
      schedule: { interval: '24h' },
      per_occurrence_ceiling_milli: 1000,
      daily_ceiling_milli: 10_000,
    };
  }

  /** Ends what would run on. */
  async close(): Promise<void> {
    for (const turn of this.openTurns.splice(0)) await cancelTurn(this.owner, turn);
  }

  static readonly content = () => [text(script({ say: 'done' }))];
  static readonly model = scriptedModel;
}
