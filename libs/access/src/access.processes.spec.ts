import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { LiveBus, StoreUnavailable, idPart, type Identity } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { Decisions, apiKeyId, type Soon } from '@aos/platform';
import { AccessModule } from './access.module.js';
import { apiKeyDecider } from './apikey.decider.js';
import { apiKeyKind } from './apikey/apikey.state.js';
import { FirstOrganization } from './bootstrap/first-organization.js';
import { Organizations } from './bootstrap/organizations.js';
import { ApiKeyIdentitySource } from './identity/api-key-identity-source.js';
import { AccessDecisions } from './changes/access-decisions.js';
import { Execution } from './identity/execution.js';
import { systemPrincipalId } from './principal/principal.ids.js';
import { MemoryWorld } from './testing/memory-world.js';

const open: INestApplicationContext[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

class Root {}

async function process(world: MemoryWorld): Promise<INestApplicationContext> {
  const started = await NestFactory.createApplicationContext(
    { module: Root, imports: [world.module({ withClock: true }), AccessModule] },
    { logger: false, abortOnError: false },
  );
  open.push(started);
  return started;
}

const identify = (one: INestApplicationContext, key: string): Soon<Identity | null> =>
  one.get(ApiKeyIdentitySource).identify({ authorization: `Bearer ${key}`, ip: '10.0.0.1', requestId: 'req' });

async function revoke(one: INestApplicationContext, orgId: string, key: string): Promise<void> {
  const act = {
    orgId,
    principalId: systemPrincipalId(orgId),
    principalKind: 'system' as const,
    apiKeyId: null,
    ip: null,
    requestId: 'r',
  };
  await one
    .get(AccessDecisions)
    .decide(apiKeyDecider.revokeKey, idPart(apiKeyId(key)), act, { orgId, at: '2026-01-01T00:00:00.000Z' });
}

describe('a key in two processes', () => {
  it('is refused everywhere once one of them has revoked it', async () => {
    const world = new MemoryWorld(new ManualClock(), { soleWriter: false });
    const [one, other] = [await process(world), await process(world)];
    const { orgId, ownerKey } = await one.get(Organizations).create('o');
    expect(await identify(other, ownerKey)).toMatchObject({ orgId, kind: 'system', ip: '10.0.0.1', requestId: 'req' });
    expect(await identify(other, ownerKey)).not.toBeNull(); // keeps
    expect(identify(other, ownerKey)).toMatchObject({ orgId }); // TP43: no promise
    await revoke(one, orgId, ownerKey);
    expect(await identify(one, ownerKey)).toBeNull();
    expect(await identify(other, ownerKey)).toBeNull();
  });

  it('is refused after at most 10 s when no word comes through', async () => {
    const clock = new ManualClock();
    const world = new MemoryWorld(clock, { soleWriter: false });
    const [one, other] = [await process(world), await process(world)];
    const { orgId, ownerKey } = await one.get(Organizations).create('o');
    await identify(other, ownerKey); // begins to listen
    await identify(other, ownerKey); // keeps
    jest.spyOn(one.get(LiveBus), 'deliver').mockResolvedValue(); // the channel is cut
    await revoke(one, orgId, ownerKey);
    expect(await identify(other, ownerKey)).not.toBeNull();
    clock.advance(10_000);
    expect(await identify(other, ownerKey)).toBeNull();
  });

  it('is neither refused nor accepted while the log does not answer', async () => {
    const world = new MemoryWorld(new ManualClock(), { soleWriter: false });
    const one = await process(world);
    const { ownerKey } = await one.get(Organizations).create('o');
    jest.spyOn(world.store, 'read').mockRejectedValue(new StoreUnavailable('down'));
    await expect(identify(one, ownerKey)).rejects.toBeInstanceOf(StoreUnavailable);
  });

  it('costs one look-up when nobody knows it, and none when it cannot be one', async () => {
    const world = new MemoryWorld(new ManualClock());
    const one = await process(world);
    const read = jest.spyOn(world.store, 'read');
    expect(await identify(one, `svck_${'x'.repeat(40)}`)).toBeNull();
    expect(read).toHaveBeenCalledTimes(1);
    expect(await identify(one, 'short')).toBeNull();
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('may execute what its cap and roles both allow', async () => {
    const world = new MemoryWorld(new ManualClock());
    const one = await process(world);
    const { ownerKey } = await one.get(Organizations).create('o');
    const who = await identify(one, ownerKey);
    if (!who) throw new Error('unknown');
    expect(await one.get(Execution).mayExecute(who, 'slack.post')).toBe(true);
    expect(await one.get(Execution).mayExecute({ ...who, roles: [] }, 'slack.post')).toBe(false);
  });
});

describe('the first start', () => {
  const chosen = 'a-key-that-the-operator-chose-0123456789';
  for (const ownerKey of [null, chosen]) {
    it(`ends at one organization and a key that works, wherever it broke off (${ownerKey ? 'chosen' : 'made'} key)`, async () => {
      for (let broken = 0; broken < 6; broken += 1) {
        for (const place of ['beforeAppend', 'afterAppend'] as const) {
          const world = new MemoryWorld(new ManualClock());
          let appends = 0;
          const shown: string[] = [];
          const start = async () =>
            (await process(world)).get(Organizations).ensureFirst({ ownerKey }, (made) => shown.push(made.ownerKey));
          world.store.faults = {
            [place]: () => {
              if ((appends += 1) === broken + 1) throw new StoreUnavailable('died');
            },
          };
          const died = await start().then(
            () => false,
            () => true,
          );
          world.store.faults = {};
          const orgId = await start();
          expect(await start()).toBe(orgId);
          const key = ownerKey ?? shown.at(-1) ?? '';
          expect(await identify(await process(world), key)).toMatchObject({ orgId });
          if (!ownerKey) expect(shown.length).toBeGreaterThan(0);
          if (!died) expect(shown.length).toBe(ownerKey ? 0 : 1);
        }
      }
    });
  }

  it('leaves a key revoked that was revoked later', async () => {
    const world = new MemoryWorld(new ManualClock());
    const one = await process(world);
    const orgId = await one.get(Organizations).ensureFirst({ ownerKey: chosen }, () => undefined);
    await revoke(one, orgId, chosen);
    await (await process(world)).get(Organizations).ensureFirst({ ownerKey: chosen }, () => undefined);
    expect(await identify(one, chosen)).toBeNull();
  });

  it('is usable, for a process that only reads, once its key is let in and not before', async () => {
    const world = new MemoryWorld(new ManualClock(), { soleWriter: false });
    const [gateway, writer] = [await process(world), await process(world)];
    expect(await gateway.get(FirstOrganization).isUsable()).toBe(false);
    const made = writer.get(Organizations).ensureFirst({ ownerKey: chosen }, () => undefined);
    await eventually('it can be used', () => gateway.get(FirstOrganization).isUsable());
    expect(await identify(gateway, chosen)).not.toBeNull();
    await made;
  });

  it('racing in two processes makes one organization', async () => {
    const world = new MemoryWorld(new ManualClock(), { soleWriter: false });
    const processes = [await process(world), await process(world)];
    const made = await Promise.all(
      processes.map((one) => one.get(Organizations).ensureFirst({ ownerKey: chosen }, () => undefined)),
    );
    expect(new Set(made).size).toBe(1);
    expect(await identify(processes[0] as INestApplicationContext, chosen)).toMatchObject({ orgId: made[0] });
  });
});

it('keeps secrets out of the log', async () => {
  const world = new MemoryWorld(new ManualClock());
  const one = await process(world);
  const { orgId, ownerKey } = await one.get(Organizations).create('o');
  const [issued] = await one.get(Decisions).read(apiKeyKind, idPart(apiKeyId(ownerKey)), { limit: 1 });
  expect(JSON.stringify(issued)).not.toContain(ownerKey.slice(8));
  expect(issued?.meta.org_id).toBe(orgId);
});
