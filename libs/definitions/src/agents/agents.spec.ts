import type { QueryOf } from '@aos/contract';
import { Refusal, type Identity, type JsonObject } from '@aos/kernel';
import { actorOf } from '@aos/platform';
import { agentKind, type AgentPatch, type NewAgent } from '../agent/agent.state.js';
import {
  admin,
  backend,
  caller,
  definitionsProcess,
  expectContract,
  newWorld,
  orgId,
  otherPerson,
  person,
} from '../testing/definitions.fixture.js';
import { createAgent } from '../agent/agent.decide.js';
import { agentResource } from '../resources/agent-resource.js';
import { CreateAgent, ProvisionInbox } from './agents.handlers.js';

function start() {
  const world = newWorld();
  const service = definitionsProcess(world);
  return {
    world,
    service,
    create: async (body: NewAgent, who: Identity = backend) =>
      (await service.createAgent.execute(new CreateAgent(who, { body: { visibility: 'organization', ...body } })))
        .agent,
    patch: (id: unknown, body: AgentPatch, who: Identity = backend) =>
      service.change(agentResource, who, String(id), body),
    get: (id: unknown, who: Identity = backend) => service.queries.get(agentResource, who, String(id)),
    remove: (id: unknown, who: Identity = backend) => service.remove(agentResource, who, String(id)),
    list: (filter: QueryOf<'listAgents'> = {}, who: Identity = backend) =>
      service.queries.list(agentResource, who, filter) as Promise<{
        items: JsonObject[];
        has_more: boolean;
        next_cursor?: string;
      }>,
  };
}

async function refused(promise: Promise<unknown>): Promise<{ code: string; details: JsonObject }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, details: error.details };
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('agents', () => {
  it('creates, reads and lists an agent in the shape of the contract', async () => {
    const { create, get, list } = start();
    const agent = await create({
      name: 'planner',
      tool_selectors: [{ selector: 'svc.table.save_row' }],
      compaction_policy: { strategy: 'none' },
      tags: { team: 'a' },
    });
    expectContract('Agent', agent);
    expect(agent).toMatchObject({
      principal_id: agent.id,
      owner: { kind: 'team', id: null },
      posture: 'team',
      visibility: 'organization',
      status: 'active',
      memory_enabled: true,
      action_selectors: [{ selector_type: 'exact', selector: 'svc.table.save_row' }],
      compaction_policy: { strategy: 'disabled' },
    });
    expect(agent.tool_selectors).toEqual(agent.action_selectors);
    expect(await get(agent.id)).toEqual(agent);
    const page = await list();
    expectContract('AgentListResponse', page);
    expect(page).toEqual({ items: [agent], has_more: false });
  });

  it('refuses a taken name and frees it with the delete', async () => {
    const { create, remove, get } = start();
    const first = await create({ name: 'planner' });
    expect(await refused(create({ name: 'planner' }))).toEqual({
      code: 'already_exists',
      details: { resource_id: first.id },
    });
    await remove(first.id);
    expect(await refused(get(first.id))).toMatchObject({ code: 'not_found' });
    const second = await create({ name: 'planner' });
    expect(second.id).not.toBe(first.id);
  });

  it('rule G28: keeps a name from before until it is changed', async () => {
    const { service, get, patch } = start();
    const before = '\u202ebefore ';
    const record = createAgent({
      who: backend,
      at: '2026-01-01T00:00:00.000Z',
      id: 'agent_00000000000000000000000099',
      body: { name: before, visibility: 'organization' },
    });
    await service.claims.create(agentKind, record, actorOf(backend));
    expect(await patch(record.id, { color: 'red', name: before })).toMatchObject({ name: before, color: 'red' });
    expect(await refused(patch(record.id, { name: `${before}x` }))).toMatchObject({ code: 'bad_request' });
    expect(await get(record.id)).toMatchObject({ name: before });
    expect(await patch(record.id, { name: 'after' })).toMatchObject({ name: 'after' });
  });

  it('renames, frees the old name and keeps everything else', async () => {
    const { create, patch, get } = start();
    const agent = await create({ name: 'old', description: 'plans', system_prompt: 'Plan.' });
    await create({ name: 'taken' });
    expect(await refused(patch(agent.id, { name: 'taken' }))).toMatchObject({ code: 'already_exists' });
    const renamed = await patch(agent.id, { name: 'new', description: '' });
    expect(renamed).toMatchObject({ name: 'new', system_prompt: 'Plan.' });
    expect(renamed).not.toHaveProperty('description');
    expect(await get(agent.id)).toEqual(renamed);
    await create({ name: 'old' });
    await patch(agent.id, { name: 'back' });
    expect(await patch(agent.id, { name: 'new' })).toMatchObject({ name: 'new' });
  });

  it('adopts by external_ref, and never lets go of it', async () => {
    const { service, create, remove, patch } = start();
    const adopt = (body: NewAgent) =>
      service.createAgent.execute(
        new CreateAgent(backend, { body: { visibility: 'organization', if_exists: 'adopt', ...body } }),
      );
    const made = await adopt({ name: 'planner', external_ref: 'crm-1' });
    expect(made.created).toBe(true);
    expect(await adopt({ name: 'planner', external_ref: 'crm-1', description: 'ignored' })).toEqual({
      agent: made.agent,
      created: false,
    });
    expect(await refused(adopt({ name: 'other', external_ref: 'crm-1' }))).toMatchObject({
      code: 'external_identity_conflict',
    });
    expect(await refused(adopt({ name: 'planner' }))).toMatchObject({ code: 'bad_request' });
    expect(await refused(create({ name: 'x', external_ref: 'crm-1' }))).toEqual({
      code: 'already_exists',
      details: { resource_id: made.agent.id },
    });
    const late = await create({ name: 'late' });
    expect(await refused(patch(late.id, { external_ref: 'crm-1' }))).toMatchObject({
      code: 'external_identity_conflict',
    });
    expect(await patch(late.id, { external_ref: 'crm-2' })).toMatchObject({ external_ref: 'crm-2' });
    expect(await patch(late.id, { external_ref: 'crm-2' })).toMatchObject({ external_ref: 'crm-2' });
    expect(await refused(patch(late.id, { external_ref: 'crm-3' }))).toMatchObject({
      code: 'external_identity_conflict',
    });
    await remove(made.agent.id);
    expect(await refused(adopt({ name: 'planner', external_ref: 'crm-1' }))).toMatchObject({
      code: 'external_identity_conflict',
    });
    expect(await refused(create({ name: 'fresh', external_ref: 'crm-1' }))).toMatchObject({
      code: 'external_identity_conflict',
    });
    expect(await create({ name: 'fresh' })).toMatchObject({ name: 'fresh' });
  });

  it('needs a person for a private agent, and hides it from others', async () => {
    const { service, create, get, patch, list } = start();
    for (const body of [{ name: 'p' }, { name: 'p', visibility: 'private' as const }]) {
      expect(await refused(service.createAgent.execute(new CreateAgent(backend, { body })))).toMatchObject({
        code: 'invalid_argument',
        details: { argument: 'visibility', reason: 'human_custodian_required' },
      });
    }
    const { agent } = await service.createAgent.execute(new CreateAgent(person, { body: { name: 'mine' } }));
    expect(agent).toMatchObject({
      owner: { kind: 'person', id: 'user_ann' },
      visibility: 'private',
      posture: 'only_you',
    });
    for (const who of [backend, otherPerson, admin, caller('service', 'svc.org.admin', 'svc_2', 'org_other')]) {
      expect(await refused(get(agent.id, who))).toMatchObject({ code: 'not_found' });
      expect(await refused(patch(agent.id, { color: 'red' }, who))).toMatchObject({ code: 'not_found' });
      expect((await list({}, who)).items).toEqual([]);
    }
    expect(await refused(create({ name: 'mine' }))).toEqual({ code: 'already_exists', details: {} });
    expect(await refused(patch(agent.id, { visibility: 'organization' }, person))).toMatchObject({
      code: 'visibility_change_unconfirmed',
    });
    expect(
      await patch(agent.id, { visibility: 'organization', confirm_visibility_change: true }, person),
    ).toMatchObject({ posture: 'shared_by_you' });
    expect(await get(agent.id)).toMatchObject({ posture: 'someone_else' });
    expect(await refused(patch(agent.id, { color: 'red' }))).toMatchObject({ code: 'permission_denied' });
    expect(await refused(patch((await create({ name: 'ours' })).id, { visibility: 'restricted' }))).toMatchObject({
      code: 'permission_denied',
    });
  });

  it('takes only people as owners, and lets members in', async () => {
    const { service, get, patch } = start();
    const of = (owner: string) =>
      service.createAgent.execute(
        new CreateAgent(backend, {
          body: { name: 'held', visibility: 'private', owner: { kind: 'person', id: owner } },
        }),
      );
    expect(await refused(of('service_1'))).toMatchObject({ code: 'invalid_argument', details: { argument: 'owner' } });
    expect(await refused(of('nobody'))).toMatchObject({ code: 'invalid_argument' });
    const { agent } = await of('user_ann');
    expect(agent).toMatchObject({
      owner: { kind: 'person', id: 'user_ann' },
      visibility: 'private',
      posture: 'someone_else',
    });
    expect(await refused(patch(agent.id, { members: ['nobody'] }, person))).toMatchObject({
      code: 'invalid_argument',
      details: { argument: 'members' },
    });
    expect(await patch(agent.id, { members: ['user_bob'] }, person)).toMatchObject({
      posture: 'shared_with_group',
      member_count: 1,
    });
    expect(await get(agent.id, otherPerson)).toMatchObject({ posture: 'someone_else' });
    expect(await refused(patch(agent.id, { color: 'red' }, otherPerson))).toMatchObject({
      code: 'permission_denied',
      details: { permission: 'svc.org.admin' },
    });
  });

  it('pages through what the caller can see, oldest first, with filters bound to the cursor', async () => {
    const { world, service, create, list } = start();
    const ids: unknown[] = [];
    for (let index = 0; index < 5; index += 1) {
      world.clock.advance(1000);
      ids.push((await create({ name: `a${index}`, status: index % 2 ? 'inactive' : 'active' })).id);
      await service.createAgent.execute(new CreateAgent(person, { body: { name: `hidden${index}` } }));
    }
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ limit: 2, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
      expect(page.has_more).toBe(cursor !== undefined);
    } while (cursor);
    expect(seen).toEqual(ids);
    expect((await list({ name: 'a3' })).items.map(({ id }) => id)).toEqual([ids[3]]);
    expect((await list({ status: 'inactive' })).items).toHaveLength(2);
    expect((await list({ principal_id: String(ids[2]) })).items).toHaveLength(1);
    expect((await list({}, admin)).items).toHaveLength(5);
    expect((await list({}, person)).items).toHaveLength(10);
    const first = await list({ limit: 1 });
    expect(await refused(list({ limit: 1, status: 'active', cursor: String(first.next_cursor) }))).toMatchObject({
      code: 'invalid_cursor',
    });
  });

  it('keeps large prompts out of the log and gives them back whole', async () => {
    const { create, get, patch, list, service } = start();
    const prompt = 'p'.repeat(150_000);
    const agent = await create({ name: 'long', system_prompt: prompt });
    expect(agent.system_prompt).toHaveLength(150_000);
    expect(await patch(agent.id, { description: 'still long' })).toMatchObject({ system_prompt: prompt });
    expect(await patch(agent.id, { system_prompt: prompt })).toMatchObject({
      updated_at: (await get(agent.id)).updated_at,
    });
    expect((await list()).items[0]).toMatchObject({ system_prompt: prompt });
    expect((await service.agents.agentByName(orgId, 'long'))?.wire.system_prompt).toBe(prompt);
  });

  it('gives an inbox address once', async () => {
    const { service, create } = start();
    const agent = await create({ name: 'mail' });
    const provisioned = await service.provisionInbox.execute(
      new ProvisionInbox(backend, { agent_id: String(agent.id) }),
    );
    expect(provisioned.email_address).toBe(`${String(agent.id)}@inbox.example`);
    expectContract('Agent', provisioned);
    expect(await service.provisionInbox.execute(new ProvisionInbox(backend, { agent_id: String(agent.id) }))).toEqual(
      provisioned,
    );
    expect(await service.agents.addressed(String(provisioned.email_address).toUpperCase())).toMatchObject({
      id: agent.id,
    });
    expect(await service.agents.addressed(`${String(agent.id)}@elsewhere.example`)).toBeNull();
    expect(await service.agents.addressed('nobody')).toBeNull();
  });

  it('finds agents for other contexts, deleted ones marked', async () => {
    const { service, create, remove } = start();
    const agent = await create({ name: 'planner' });
    expect(await service.agents.agentByName(orgId, 'planner')).toMatchObject({
      id: agent.id,
      deleted: false,
      wire: { name: 'planner' },
    });
    expect(await service.agents.agent('org_other', String(agent.id))).toBeNull();
    expect(await service.agents.agent(orgId, 'agent_unknown')).toBeNull();
    expect(await service.agents.agent(orgId, '../x')).toBeNull();
    await remove(agent.id);
    expect(await service.agents.agent(orgId, String(agent.id))).toMatchObject({ deleted: true });
    expect(await service.agents.agentByName(orgId, 'planner')).toBeNull();
  });
});
