import { randomBytes } from 'node:crypto';
import { ManualClock } from '@aos/kernel/testing';
import type { Identity, TokenVerb } from '@aos/kernel';
import { BrowserTokens, bearerToken, type TokenClaims } from './browser-tokens.js';
import { IdentityTokens } from './identity-tokens.js';
import { KeyRing } from './key-ring.js';

const masters = ['k1', 'k2'].map((keyId) => ({ keyId, secret: randomBytes(32) }));
const [older, newer] = masters.map((master) => [master]) as [typeof masters, typeof masters];
const claims: TokenClaims = {
  id: 'tok_01jgfjjz00000000000000000f',
  orgId: 'org_01jgfjjz00000000000000000a',
  keyId: 'cred_x',
  verbs: new Set<TokenVerb>(['read', 'answer']),
  expiresAt: 1_800_000_000_000,
  reach: { agentId: 'agent_x', endUser: 'hash' },
  origins: ['https://a.example'],
};

describe('rule A37: browser tokens', () => {
  const tokens = new BrowserTokens(new KeyRing(older));

  test('open as they were sealed, each with a text of its own', () => {
    const named = { ...claims, reach: { sessionIds: ['ses_a', 'ses_b'] }, origins: null };
    for (const each of [claims, named]) expect(tokens.open(tokens.seal(each))).toEqual(each);
    expect(tokens.seal(claims)).not.toBe(tokens.seal(claims));
  });

  test('say nothing to who holds them, and fit a header at their largest', () => {
    const text = tokens.seal(claims);
    const bytes = Buffer.from(text.slice(text.indexOf('.') + 1), 'base64url').toString('latin1');
    for (const secret of [claims.id, claims.orgId, claims.keyId, 'agent_x', 'hash'])
      expect(bytes).not.toContain(secret);
    const largest = tokens.seal({
      ...claims,
      keyId: `cred_${'x'.repeat(51)}`,
      reach: { sessionIds: Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(128, 'x')) },
      origins: Array.from({ length: 10 }, (_, n) => `https://${n}`.padEnd(255, 'x')),
    });
    expect(largest.length).toBeLessThanOrEqual(8_192);
    expect(bearerToken(`Bearer ${largest}`)).toBe(largest);
  });

  test('one that was changed anywhere, cut or made longer does not open', () => {
    const text = tokens.seal(claims);
    for (let n = 'svct_'.length; n < text.length; n += 1) {
      const changed = text.slice(0, n) + (text[n] === 'A' ? 'B' : 'A') + text.slice(n + 1);
      expect([n, tokens.open(changed)]).toEqual([n, null]);
    }
    for (const other of [
      text.slice(0, -1),
      `${text}A`,
      `${text}=`,
      text.slice(5),
      '',
      'svct_',
      `svct_k1.${'A'.repeat(60)}`,
    ])
      expect(tokens.open(other)).toBeNull();
  });

  test('the text of another purpose does not open', () => {
    const ring = new KeyRing(older);
    const identities = new IdentityTokens(ring, new ManualClock());
    const signed = identities.mint(identity, 'gateway');
    expect(tokens.open(`svct_${signed.slice(3)}`)).toBeNull();
  });

  test('of a master key that was replaced open while it is kept, and not after it is gone', () => {
    const text = tokens.seal(claims);
    const [first, second] = masters as [(typeof masters)[0], (typeof masters)[0]];
    expect(new BrowserTokens(new KeyRing([second, first])).open(text)).toEqual(claims);
    expect(new BrowserTokens(new KeyRing(newer)).open(text)).toBeNull();
    const renamed = new KeyRing([{ ...second, keyId: first.keyId }]);
    expect(new BrowserTokens(renamed).open(text)).toBeNull();
  });

  test('come behind Bearer alone, and no key looks like one', () => {
    const text = tokens.seal(claims);
    expect(bearerToken(`bearer  ${text}`)).toBe(text);
    for (const header of [undefined, text, `Basic ${text}`, `Bearer ${text} x`, `Bearer svck_${'x'.repeat(40)}`])
      expect(bearerToken(header)).toBeNull();
  });
});

const identity: Identity = {
  orgId: claims.orgId,
  principalId: 'user_1',
  kind: 'human',
  apiKeyId: 'cred_x',
  permissions: new Set(['svc.resource.use']),
  roles: [],
  cap: null,
  requestId: 'r',
  ip: null,
};

describe('rule A38: a signed identity that a token narrows', () => {
  const identities = new IdentityTokens(new KeyRing(older), new ManualClock());

  test.each([
    ['an end user', claims.reach],
    ['named sessions', { sessionIds: ['ses_a'] }],
  ])('carries the token of %s, without the origins that were judged already', (_name, reach) => {
    const { id, verbs, expiresAt } = claims;
    const token = { id, verbs, expiresAt, reach };
    const minted = identities.mint({ ...identity, token: { ...token, origins: ['https://a.example'] } }, 's');
    expect(identities.verify(minted, 's')).toEqual({ ...identity, token });
  });

  test('has a form that a release before refuses, and no other identity has', () => {
    const { id, verbs, expiresAt, reach } = claims;
    const narrowed = identities.mint({ ...identity, token: { id, verbs, expiresAt, reach } }, 's');
    const plain = identities.mint(identity, 's');
    expect([narrowed.slice(0, 3), plain.slice(0, 3)]).toEqual(['i2.', 'i1.']);
    expect(identities.verify(`i1${narrowed.slice(2)}`, 's')).toBeNull();
    expect(identities.verify(`i2${plain.slice(2)}`, 's')).toBeNull();
  });
});
