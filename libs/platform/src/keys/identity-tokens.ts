import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { basePermissions } from '@aos/kernel';
import type { BasePermission, Clock, Identity, PrincipalKind, RoleAtRevision } from '@aos/kernel';
import type { KeyRing } from './key-ring.js';

/** Seconds from minting to expiry. */
const LIFETIME_SECONDS = 30;
/** Clocks of the fleet may differ by this much. */
const SKEW_SECONDS = 5;
const TOKEN_LENGTH_MAX = 8_192;
const ED25519_PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const FORM = /^i1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/;
const KINDS: readonly PrincipalKind[] = ['human', 'service', 'worker', 'agent', 'system'];

interface Pair {
  readonly keyId: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** As it travels: short names, permissions as bits whose numbers are never reused. */
interface Claims {
  o: string;
  p: string;
  k: number;
  c: string | null;
  b: number;
  r: [string, number][];
  q: [string, number] | null;
  i: string | null;
  x: string;
  a: string;
  e: number;
}

/**
 * Signed identities between the services of one fleet: `i1.<kid>.<claims>.<Ed25519 signature>`, for one audience, good for 30 s.
 * Source: architecture, Identity and tenancy.
 */
export class IdentityTokens {
  private readonly pairs = new Map<string, Pair>();

  constructor(private readonly keys: KeyRing, private readonly clock: Clock) {}

  mint(identity: Identity, audience: string): string {
    const pair = this.pair(this.keys.active('identities').keyId);
    if (!pair) throw new Error('the active master key is gone');
    const claims = Buffer.from(JSON.stringify(claimsOf(identity, audience, this.seconds() + LIFETIME_SECONDS))).toString('base64url');
    const head = `i1.${pair.keyId}.${claims}`;
    return `${head}.${sign(null, Buffer.from(head), pair.privateKey).toString('base64url')}`;
  }

  /** Gives the identity, or null for a token that is foreign, changed, for another audience, or past its time. */
  verify(token: string, audience: string): Identity | null {
    const match = token.length <= TOKEN_LENGTH_MAX ? FORM.exec(token) : null;
    const [, keyId, body, signature] = match ?? [];
    if (keyId === undefined || body === undefined || signature === undefined) return null;
    const pair = this.pair(keyId);
    if (!pair || !verify(null, Buffer.from(`i1.${keyId}.${body}`), pair.publicKey, Buffer.from(signature, 'base64url'))) return null;
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Claims;
    const now = this.seconds();
    if (claims.a !== audience || claims.e < now - SKEW_SECONDS || claims.e > now + LIFETIME_SECONDS + SKEW_SECONDS) return null;
    return identityOf(claims);
  }

  private seconds(): number {
    return Math.floor(this.clock.now() / 1000);
  }

  private pair(keyId: string): Pair | null {
    const known = this.pairs.get(keyId);
    if (known) return known;
    const seed = this.keys.find('identities', keyId);
    if (!seed) return null;
    const privateKey = createPrivateKey({ key: Buffer.concat([ED25519_PKCS8_HEAD, seed.secret]), format: 'der', type: 'pkcs8' });
    const pair = { keyId, privateKey, publicKey: createPublicKey(privateKey) };
    this.pairs.set(keyId, pair);
    return pair;
  }
}

function claimsOf(identity: Identity, audience: string, expiresAt: number): Claims {
  return {
    o: identity.orgId,
    p: identity.principalId,
    k: KINDS.indexOf(identity.kind),
    c: identity.apiKeyId,
    b: basePermissions.reduce((bits, permission, bit) => (identity.permissions.has(permission) ? bits | (1 << bit) : bits), 0),
    r: identity.roles.map(({ roleId, revision }) => [roleId, revision]),
    q: identity.cap && [identity.cap.roleId, identity.cap.revision],
    i: identity.ip,
    x: identity.requestId,
    a: audience,
    e: expiresAt,
  };
}

function identityOf(claims: Claims): Identity | null {
  const kind = KINDS[claims.k];
  if (kind === undefined) return null;
  const permissions = new Set<BasePermission>(basePermissions.filter((_permission, bit) => (claims.b & (1 << bit)) !== 0));
  const role = ([roleId, revision]: [string, number]): RoleAtRevision => ({ roleId, revision });
  return {
    orgId: claims.o,
    principalId: claims.p,
    kind,
    apiKeyId: claims.c,
    permissions,
    roles: claims.r.map(role),
    cap: claims.q && role(claims.q),
    requestId: claims.x,
    ip: claims.i,
  };
}
