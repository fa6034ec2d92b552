import { NestFactory } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import type { INestApplicationContext } from '@nestjs/common';
import { basePermissions, type Identity } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { AccessModule } from '../access.module.js';
import { AssignRole } from '../assignments/assignments.handlers.js';
import { Organizations } from '../bootstrap/organizations.js';
import { ActivePrincipals } from '../identity/active-principals.js';
import { DeletePrincipal, UpdatePrincipal } from '../principals/principals.handlers.js';
import { PrincipalQueries } from '../principals/principals.queries.js';
import { RoleReader } from '../role/role-reader.js';
import { MemoryWorld } from '../testing/memory-world.js';
import { AgentPrincipals, type AgentAsPrincipal } from './agent-principals.js';
import { systemPrincipalId } from './principal.ids.js';

class Root {}
const agentId = `agent_${'7'.repeat(26)}`;
const clock = new ManualClock();
const world = new MemoryWorld(clock);
const agent: AgentAsPrincipal = {
  agentId,
  name: 'Triage',
  description: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  deleted: false,
};
const hidden = new Set<string>();
let app: INestApplicationContext;
let who: Identity;

beforeAll(async () => {
  app = await NestFactory.createApplicationContext(
    { module: Root, imports: [world.module({ withClock: true }), AccessModule] },
    { logger: false, abortOnError: false },
  );
  app
    .get(AgentPrincipals)
    .register({
      find: async (_orgId, id) => (id === agentId ? agent : null),
      isOwnedBy: async () => false,
      isVisible: async (caller) => !hidden.has(caller.principalId),
    });
  const { orgId } = await app.get(Organizations).create('o');
  const roleId = await app.get(RoleReader).systemRoleId(orgId, 'Owner');
  who = {
    orgId,
    principalId: systemPrincipalId(orgId),
    kind: 'system',
    apiKeyId: null,
    permissions: new Set(basePermissions),
    roles: [{ roleId, revision: 0 }],
    cap: null,
    requestId: 'r',
    ip: null,
  };
});
afterAll(() => app.close());

const list = async () =>
  (await app.get(PrincipalQueries).page(who, { kind: 'agent', includeDisabled: false }, { limit: 10, after: null }))
    .items;
const recorded = (id: string) =>
  world.store.append(`agent-${agentId}`, 'none', [
    { id, type: 'AgentCreated', data: {}, meta: { org_id: who.orgId, schema_version: '1' } },
  ]);

describe('the principal of an agent', () => {
  it('is there as soon as the agent is, and in lists soon after', async () => {
    expect(await app.get(PrincipalQueries).get(who, agentId)).toMatchObject({
      id: agentId,
      kind: 'agent',
      state: 'active',
      handle: 'agent:triage',
    });
    await recorded('00000000-0000-4000-8000-000000000001');
    expect(await eventually('the agent in the list', async () => (await list())[0])).toMatchObject({
      id: agentId,
      name: 'Triage',
    });
  });

  it('takes roles, but is described and removed by its agent alone', async () => {
    expect(
      await app.get(CommandBus).execute(new AssignRole(who, { principal_id: agentId, role_name: 'Agent' })),
    ).toMatchObject({ role_name: 'Agent' });
    await expect(
      app.get(CommandBus).execute(new UpdatePrincipal(who, { principal_id: agentId, body: { description: 'x' } })),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      app.get(CommandBus).execute(new DeletePrincipal(who, { principal_id: agentId })),
    ).rejects.toMatchObject({ code: 'principal_in_use' });
  });

  it('rule A32: is enabled or not, which is known without a look at the agent; and of its organization only', async () => {
    const looks = jest.spyOn(app.get(AgentPrincipals), 'find');
    const isEnabled = (orgId = who.orgId) => app.get(ActivePrincipals).isEnabledAgent(orgId, agentId);
    expect(await isEnabled()).toBe(true);
    const other = await app.get(Organizations).create('other');
    expect(await isEnabled(other.orgId)).toBe(false);
    expect(looks).not.toHaveBeenCalled();
    for (const state of ['disabled', 'active'] as const) {
      await app.get(CommandBus).execute(new UpdatePrincipal(who, { principal_id: agentId, body: { state } }));
      looks.mockClear();
      expect(await isEnabled()).toBe(state === 'active');
      expect(looks).not.toHaveBeenCalled();
    }
    looks.mockRestore();
  });

  it('is not there for whom the agent is out of reach', async () => {
    hidden.add(who.principalId);
    await expect(app.get(PrincipalQueries).get(who, agentId)).rejects.toMatchObject({ code: 'not_found' });
    expect(await list()).toEqual([]);
    hidden.clear();
  });

  it('goes with its agent', async () => {
    agent.deleted = true;
    await expect(app.get(PrincipalQueries).get(who, agentId)).rejects.toMatchObject({ code: 'not_found' });
    expect(await list()).toEqual([]);
  });
});
