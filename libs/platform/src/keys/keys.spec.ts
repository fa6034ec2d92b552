import { chmodSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '@aos/kernel';
import type { Identity } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import {
  CursorSeal,
  IdentityTokens,
  KeyRing,
  SealBroken,
  Sealer,
  apiKeyId,
  apiKeyPrefix,
  isApiKeyForm,
  isIssuedApiKeyForm,
  masterKeysIn,
  newApiKey,
} from './index.js';

const first = { keyId: 'k1', secret: Buffer.alloc(32, 1) };
const second = { keyId: 'k2', secret: Buffer.alloc(32, 2) };
const owner = { orgId: 'org_a', resource: 'action/act_1' };
const scope = { orgId: 'org_a', list: 'agents', filters: { name: 'x', status: undefined } };

describe('master keys', () => {
  it('are made once, readable by their owner only', () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'keys-')), 'data');
    const made = masterKeysIn(folder);
    expect(masterKeysIn(folder)).toEqual(made);
    expect(statSync(join(folder, 'master-keys')).mode & 0o777).toBe(0o600);
    chmodSync(join(folder, 'master-keys'), 0o644);
    expect(() => masterKeysIn(folder)).toThrow('other users');
  });

  it('give another key for every purpose', () => {
    const ring = new KeyRing([first]);
    expect(ring.active('sealing').secret.equals(ring.active('cursors').secret)).toBe(false);
  });
});

describe('sealing', () => {
  it('opens what it sealed, also after a rotation', () => {
    const sealed = new Sealer(new KeyRing([first])).seal('s3cret', owner);
    const rotated = new Sealer(new KeyRing([second, first]));
    expect(sealed).not.toContain('s3cret');
    expect(rotated.open(sealed, owner)).toBe('s3cret');
    expect(rotated.isStale(sealed)).toBe(true);
    expect(rotated.isStale(rotated.seal('x', owner))).toBe(false);
  });

  it.each(['org_b', 'org_a'])('opens nowhere else (%s)', (orgId) => {
    const sealer = new Sealer(new KeyRing([first]));
    expect(() => sealer.open(sealer.seal('x', owner), { orgId, resource: 'action/act_2' })).toThrow(SealBroken);
    expect(() => new Sealer(new KeyRing([second])).open(sealer.seal('x', owner), owner)).toThrow(SealBroken);
    expect(() => sealer.open('whatever', owner)).toThrow(SealBroken);
  });
});

describe('cursors', () => {
  const seal = new CursorSeal(new KeyRing([first]));

  it('come back to their position', () => {
    const cursor = seal.seal('p'.repeat(140), scope);
    expect(cursor).toMatch(/^[A-Za-z0-9._-]{1,256}$/);
    expect(seal.open(cursor, { ...scope, filters: { name: 'x' } })).toBe('p'.repeat(140));
  });

  it.each([
    ['another organization', { ...scope, orgId: 'org_b' }],
    ['another list', { ...scope, list: 'skills' }],
    ['another filter', { ...scope, filters: { name: 'y' } }],
  ])('are refused for %s', (_what, other) => expect(() => seal.open(seal.seal('p', scope), other)).toThrow(Refusal));

  it('are refused when any character changes', () => {
    const cursor = seal.seal('position', scope);
    for (let index = 0; index < cursor.length; index += 1) {
      const changed = `${cursor.slice(0, index)}${cursor[index] === 'A' ? 'B' : 'A'}${cursor.slice(index + 1)}`;
      expect(() => seal.open(changed, scope)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }) as Error);
    }
    for (const foreign of ['', 'abc', 'k1.', 'x'.repeat(300), `${cursor}=`])
      expect(() => seal.open(foreign, scope)).toThrow(Refusal);
  });
});

describe('signed identities', () => {
  const identity: Identity = {
    orgId: 'org_a',
    principalId: 'svc_1',
    kind: 'service',
    apiKeyId: 'cred_1',
    permissions: new Set(['svc.resource.view', 'svc.job.execute']),
    roles: [{ roleId: 'role_1', revision: 3 }],
    cap: { roleId: 'role_2', revision: 0 },
    requestId: 'r1',
    ip: '10.0.0.1',
  };

  it('carry everything to their audience for 30 s', () => {
    const clock = new ManualClock();
    const tokens = new IdentityTokens(new KeyRing([first]), clock);
    const token = tokens.mint(identity, 'session-service');
    expect(tokens.verify(token, 'session-service')).toEqual(identity);
    expect(new IdentityTokens(new KeyRing([second, first]), clock).verify(token, 'session-service')).toEqual(identity);
    const { orgId, permissions } = identity;
    const agent: Identity = {
      ...identity,
      kind: 'agent',
      actsFor: { orgId, principalId: 'user_1', kind: 'human', permissions },
    };
    expect(tokens.verify(tokens.mint(agent, 'session-service'), 'session-service')).toEqual(agent);
    expect(tokens.verify(token, 'access-service')).toBeNull();
    clock.advance(36_000);
    expect(tokens.verify(token, 'session-service')).toBeNull();
  });

  it('are refused when changed or foreign', () => {
    const clock = new ManualClock();
    const tokens = new IdentityTokens(new KeyRing([first]), clock);
    const token = tokens.mint(identity, 'a');
    const [head, kid, , signature] = token.split('.');
    const forged = Buffer.from(JSON.stringify({ o: 'org_b' })).toString('base64url');
    expect(tokens.verify(`${head}.${kid}.${forged}.${signature}`, 'a')).toBeNull();
    expect(new IdentityTokens(new KeyRing([{ ...second, keyId: 'k1' }]), clock).verify(token, 'a')).toBeNull();
    for (const text of ['', 'i1', token.slice(0, -2), `${token}x`]) expect(tokens.verify(text, 'a')).toBeNull();
  });
});

describe('API keys', () => {
  it('have their form, an id that hides them, and a prefix', () => {
    const key = newApiKey();
    expect(isIssuedApiKeyForm(key)).toBe(true);
    expect(apiKeyId(key)).toMatch(/^cred_[0-9a-z]{51}$/);
    expect(apiKeyId(key)).toBe(apiKeyId(key));
    expect(apiKeyPrefix(key)).toHaveLength(8);
    expect(new Set(Array.from({ length: 100 }, newApiKey)).size).toBe(100);
    expect([isApiKeyForm('x'.repeat(32)), isApiKeyForm('x'.repeat(31)), isApiKeyForm(`${'x'.repeat(40)} y`)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
