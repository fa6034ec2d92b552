import { MemoryEventStore } from '@aos/adapters/memory';
import { ManualClock } from '@aos/kernel/testing';
import { KeyRing, Sealer, serviceActor } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import { ConnectionSecrets } from './connection-secrets.js';

const actor = serviceActor('org_1', 'user_1', 'r');
const key = (keyId: string, fill: number) => ({ keyId, secret: Buffer.alloc(32, fill) });
const [oldKey, newKey] = [key('old', 1), key('new', 2)];
const id = 'conn_1';

function world() {
  const clock = new ManualClock();
  const store = new MemoryEventStore({ clock, soleWriter: false });
  const secretsWith = (...keys: ReturnType<typeof key>[]) =>
    new ConnectionSecrets(memoryDecisions({ store, clock }), store, new Sealer(new KeyRing(keys)));
  const stored = async () => JSON.stringify(await store.read(`secret-${id}`, { from: 0, limit: 10 }));
  return { store, secretsWith, stored };
}
const tokens = (attempt: number, more: object = {}) => ({
  attempt,
  expires_at: null,
  accessToken: `access-${attempt}`,
  refreshToken: null,
  ...more,
});

describe('the secrets of a connection (rules TE20, TE25, TE26, TE27)', () => {
  it('are sealed anew with the first key, in the same version, and open without the other', async () => {
    const { secretsWith, stored } = world();
    await secretsWith(oldKey).put(id, actor, { secret: 'the-secret', other: 'another' });
    expect(await secretsWith(oldKey).reseal(id)).toBe('fresh');
    expect(await secretsWith(newKey).reseal(id)).toBe('unreadable');
    const both = secretsWith(newKey, oldKey);
    expect([await both.reseal(id), await both.reseal(id)]).toEqual(['resealed', 'fresh']);
    const alone = secretsWith(newKey);
    expect(await alone.opened('org_1', id)).toEqual({ secret: 'the-secret', other: 'another' });
    expect((await alone.facts('org_1', id)).version).toBe(1);
    expect(await alone.reseal('conn_unknown')).toBe('fresh');
    expect(await stored()).not.toContain('the-secret');
  });

  it('lie in one event: what was there before is gone', async () => {
    const { store, secretsWith } = world();
    const secrets = secretsWith(newKey);
    await secrets.put(id, actor, { secret: 'the-first' });
    await secrets.putTokens(id, actor, tokens(1), { of: 'refreshed', from: { version: 1 } });
    await secrets.putCode(id, actor, 'flow_1', { code: 'c', verifier: 'v' });
    expect(await store.read(`secret-${id}`, { from: 0, limit: 10 })).toHaveLength(1);
    expect(await secrets.opened('org_1', id)).toEqual({
      secret: 'the-first',
      access_token: 'access-1',
      code: 'c',
      verifier: 'v',
    });
    await secrets.erase(id, actor);
    const [left] = await store.read(`secret-${id}`, { from: 0, limit: 10 });
    expect(left?.type).toBe('SecretErased');
    expect(await secrets.opened('org_1', id)).toBeNull();
    await expect(secrets.putCode(id, actor, 'flow_2', { code: 'c', verifier: 'v' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('take the tokens of the latest try only, and those that rest on what is in place', async () => {
    const { secretsWith } = world();
    const secrets = secretsWith(newKey);
    const refreshed = (attempt: number, from: { version: number } | { attempt: number }, more: object = {}) =>
      secrets.putTokens(id, actor, tokens(attempt, more), { of: 'refreshed', from });
    await secrets.put(id, actor, { secret: 'the-first' });
    expect(await refreshed(2, { version: 1 }, { refreshToken: 'again-2' })).toBe(true);
    expect(await refreshed(1, { version: 2 })).toBe(false);
    expect(await refreshed(3, { version: 1 })).toBe(false);
    expect(await refreshed(3, { attempt: 1 })).toBe(false);
    expect(await refreshed(3, { attempt: 2 })).toBe(true);
    expect(await secrets.opened('org_1', id)).toMatchObject({ access_token: 'access-3', refresh_token: 'again-2' });
    await secrets.putTokens(id, actor, tokens(4), { of: 'authorized', from: null });
    expect(await secrets.opened('org_1', id)).toEqual({ access_token: 'access-4' });
  });

  it('keep the first code of a flow, and let it go', async () => {
    const { secretsWith } = world();
    const secrets = secretsWith(newKey);
    expect(await secrets.putCode(id, actor, 'flow_1', { code: 'one', verifier: 'v' })).toBe(true);
    expect(await secrets.putCode(id, actor, 'flow_1', { code: 'two', verifier: 'v' })).toBe(false);
    expect((await secrets.openedWithFacts('org_1', id))?.values.code).toBe('one');
    expect(await secrets.dropCode(id, actor, 'flow_2')).toBe(false);
    expect(await secrets.dropCode(id, actor, 'flow_1')).toBe(true);
    expect(await secrets.opened('org_1', id)).toEqual({});
  });

  it('make room for a code when their master key is gone: the account is authorized anew', async () => {
    const { secretsWith } = world();
    const before = secretsWith(oldKey);
    await before.putTokens(id, actor, tokens(1, { refreshToken: 'refresh-1' }), { of: 'authorized', from: null });
    const secrets = secretsWith(newKey);
    expect(await secrets.putCode(id, actor, 'flow_1', { code: 'c', verifier: 'v' })).toBe(true);
    expect(await secrets.openedWithFacts('org_1', id)).toMatchObject({
      values: { code: 'c', verifier: 'v' },
      token: null,
      codeOf: 'flow_1',
    });
    await secrets.putTokens(id, actor, tokens(2), { of: 'authorized', from: null });
    expect(await secrets.opened('org_1', id)).toEqual({ access_token: 'access-2' });
  });
});
