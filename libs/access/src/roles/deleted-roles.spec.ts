import { NestFactory } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import type { INestApplicationContext } from '@nestjs/common';
import { basePermissions, idPart, type Identity } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { actorOf } from '@aos/platform';
import { AccessModule } from '../access.module.js';
import { AssignRole } from '../assignments/assignments.handlers.js';
import { Organizations } from '../bootstrap/organizations.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { principalKind } from '../principal/principal.state.js';
import { systemPrincipalId } from '../principal/principal.ids.js';
import { CreatePrincipal } from '../principals/principals.handlers.js';
import { roleDecider } from '../role.decider.js';
import { MemoryWorld } from '../testing/memory-world.js';
import { CreateRole } from './roles.handlers.js';

class Root {}
const clock = new ManualClock();
const world = new MemoryWorld(clock);
const started = () =>
  NestFactory.createApplicationContext(
    { module: Root, imports: [world.module({ withClock: true }), AccessModule] },
    { logger: false, abortOnError: false },
  );
let app: INestApplicationContext;
let who: Identity;

beforeAll(async () => {
  app = await started();
  const { orgId } = await app.get(Organizations).create('o');
  who = {
    orgId,
    principalId: systemPrincipalId(orgId),
    kind: 'service',
    apiKeyId: 'key_1',
    permissions: new Set(basePermissions),
    roles: [],
    cap: null,
    requestId: 'the request',
    ip: '10.0.0.1',
  };
});
afterAll(() => app.close());

const grantsOf = async (principalId: string) =>
  (await app.get(AccessDecisions).load(principalKind, principalId)).state.grants;

it('ends the assignments of a role whose deletion was cut off, in the name of who deleted it', async () => {
  const commands = app.get(CommandBus);
  const role = await commands.execute(new CreateRole(who, { name: 'Shortlived', permissions: [] }));
  const holder = await commands.execute(new CreatePrincipal(who, { name: 'holder' }));
  await commands.execute(new AssignRole(who, { principal_id: holder.id, role_id: role.id }));
  expect((await grantsOf(holder.id)).size).toBe(1);
  const command = { orgId: who.orgId, at: '2026-01-01T00:00:00.000Z' };
  await app.get(AccessDecisions).decide(roleDecider.deleteRole, idPart(role.id), actorOf(who), command);
  await eventually('no grant left', async () => (await grantsOf(holder.id)).size === 0);
  const [ended] = await world.store.read(`principal-${holder.id}`, { backwards: true, limit: 1 });
  expect(ended).toMatchObject({
    type: 'RoleUnassigned',
    meta: { principal_id: who.principalId, principal_kind: 'service', api_key_id: 'key_1', request_id: 'the request' },
  });
});
