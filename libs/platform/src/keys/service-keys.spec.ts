import type { Identity } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { operatorIdentity } from '../http/server/operator-identity.js';
import { loadSettings } from '../settings/index.js';
import { CursorSeal, IdentityTokens, Sealer, ownPublicKey, serviceKeys } from './index.js';

const secretOf = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const seeds: Readonly<Record<string, number>> = { gateway: 1, 'access-service': 2, 'session-service': 3, operator: 4 };
const published = Object.entries(seeds)
  .map(([name, fill]) => `${name}:${ownPublicKey(Buffer.alloc(32, fill)).toString('base64')}`)
  .join(',');
const master = `old:${secretOf(9)}`;
const separate = {
  SVC_IDENTITY_KEYS: published,
  SVC_SEAL_KEYS: `s1:${secretOf(5)}`,
  SVC_CURSOR_KEYS: `c1:${secretOf(6)}`,
};
const owner = { orgId: 'org_a', resource: 'action/act_1' };
const scope = { orgId: 'org_a', list: 'agents' };
const clock = new ManualClock();
const person: Identity = {
  orgId: 'org_a',
  principalId: 'usr_1',
  kind: 'human',
  apiKeyId: 'cred_1',
  permissions: new Set(['svc.resource.view']),
  roles: [],
  cap: null,
  requestId: 'r1',
  ip: null,
};

function keysOf(name: string, env: Record<string, string>) {
  const { ring, identities, warning } = serviceKeys(name, loadSettings(env, 'fleet'));
  return {
    sealer: new Sealer(ring),
    cursors: new CursorSeal(ring),
    tokens: new IdentityTokens(ring, clock, identities),
    warning,
  };
}

const own = (name: string) => keysOf(name, { ...separate, SVC_IDENTITY_SEED: secretOf(seeds[name] ?? 0) });

describe('keys of a fleet', () => {
  it('each service signs with its own seed, and the others know it by its public key', () => {
    const token = own('gateway').tokens.mint(person, 'session-service');
    expect(own('session-service').tokens.verify(token, 'session-service')).toEqual(person);
    expect(own('session-service').tokens.verify(token, 'access-service')).toBeNull();
    const stranger = keysOf('gateway', {
      ...separate,
      SVC_IDENTITY_SEED: secretOf(7),
      SVC_IDENTITY_KEYS: `gateway:${ownPublicKey(Buffer.alloc(32, 7)).toString('base64')}`,
    });
    expect(
      own('session-service').tokens.verify(stranger.tokens.mint(person, 'session-service'), 'session-service'),
    ).toBeNull();
  });

  it('only the operator and access-service speak for the installation', () => {
    const believes = (name: string) =>
      own('session-service').tokens.verify(
        own(name).tokens.mint(operatorIdentity('r1'), 'session-service'),
        'session-service',
      ) !== null;
    expect(Object.keys(seeds).filter(believes).sort()).toEqual(['access-service', 'operator']);
  });

  it('a seed or a cursor key opens nothing that is sealed', () => {
    const sealed = own('session-service').sealer.seal('secret', owner);
    const others = keysOf('session-service', {
      ...separate,
      SVC_IDENTITY_SEED: secretOf(3),
      SVC_SEAL_KEYS: `s1:${secretOf(6)}`,
    });
    expect(() => others.sealer.open(sealed, owner)).toThrow('changed or belongs elsewhere');
  });

  it('with master keys alone it starts as before, with a warning', () => {
    const [one, other] = [
      keysOf('gateway', { SVC_MASTER_KEYS: master }),
      keysOf('session-service', { SVC_MASTER_KEYS: master }),
    ];
    expect(one.warning).toContain('give SVC_IDENTITY_SEED, SVC_IDENTITY_KEYS, SVC_CURSOR_KEYS');
    expect(other.tokens.verify(one.tokens.mint(person, 'session-service'), 'session-service')).toEqual(person);
    expect(own('gateway').warning).toBeNull();
  });

  it('what was sealed and signed before opens while the master keys are given, and after that as the second of each kind', () => {
    const before = keysOf('session-service', { SVC_MASTER_KEYS: master });
    const [sealed, cursor, token] = [
      before.sealer.seal('secret', owner),
      before.cursors.seal('7', scope),
      before.tokens.mint(person, 'session-service'),
    ];
    const both = keysOf('session-service', { ...separate, SVC_IDENTITY_SEED: secretOf(3), SVC_MASTER_KEYS: master });
    expect([
      both.sealer.open(sealed, owner),
      both.cursors.open(cursor, scope),
      both.tokens.verify(token, 'session-service'),
    ]).toEqual(['secret', '7', person]);
    expect(both.sealer.isStale(sealed)).toBe(true);
    expect(both.warning).toContain('SVC_MASTER_KEYS is still believed');
    const after = keysOf('session-service', {
      SVC_IDENTITY_KEYS: published,
      SVC_IDENTITY_SEED: secretOf(3),
      SVC_SEAL_KEYS: `${separate.SVC_SEAL_KEYS},${master}`,
      SVC_CURSOR_KEYS: `${separate.SVC_CURSOR_KEYS},${master}`,
    });
    expect([
      after.sealer.open(sealed, owner),
      after.cursors.open(cursor, scope),
      after.tokens.verify(token, 'session-service'),
    ]).toEqual(['secret', '7', null]);
  });

  it.each([
    ['session-service', {}, 'SVC_IDENTITY_SEED, SVC_IDENTITY_KEYS, SVC_CURSOR_KEYS, SVC_SEAL_KEYS is required'],
    ['gateway', { ...separate, SVC_SEAL_KEYS: '' }, 'SVC_IDENTITY_SEED is required'],
    [
      'session-service',
      { ...separate, SVC_IDENTITY_SEED: secretOf(1) },
      'SVC_IDENTITY_KEYS names another public key for session-service',
    ],
  ])('%s refuses %j', (name, env, fault) => {
    expect(() => keysOf(name, env as Record<string, string>)).toThrow(fault);
  });
});
