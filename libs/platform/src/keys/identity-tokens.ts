import { createPrivateKey, createPublicKey, hash, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { basePermissions, verbsOfBits, verbsToBits } from '@aos/kernel';
import type { BasePermission, BrowserToken, Clock, Identity, PrincipalKind, RoleAtRevision, Viewer } from '@aos/kernel';
import type { KeyRing } from './key-ring.js';

/** No organization has this id: what it stands for is the installation itself. */
export const installation = 'operator';

/** Seconds from minting to expiry. */
const lifetimeSeconds = 30;
/** Clocks of the fleet may differ by this much. */
const skewSeconds = 5;
const tokenLengthMax = 8_192;
const ed25519Pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');
const tokenForm = /^(i[12])\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86})$/;
const kinds: readonly PrincipalKind[] = ['human', 'service', 'worker', 'agent', 'system'];

const ed25519SpkiHead = Buffer.from('302a300506032b6570032100', 'hex');
/** Who may speak for the installation itself: the operator's command line, and the service that it asks. */
const operators: ReadonlySet<string> = new Set(['operator', 'access-service']);

/** What a service signs with, and what it believes. */
export interface IdentityKeys {
  /** 32 bytes; without one the active master key signs. */
  readonly seed: Buffer | null;
  readonly believed: readonly PublicIdentityKey[];
}

export interface PublicIdentityKey {
  /** The service that signs with it. */
  readonly issuer: string;
  /** 32 bytes. */
  readonly publicKey: Buffer;
}

interface Pair {
  readonly keyId: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

interface Believed {
  /** Null for a master key, which signs for every service. */
  readonly issuer: string | null;
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
  /** Id, kind and permissions of the principal that an agent acts for. */
  f?: [string, number, number];
  /** Of a browser token: id, verbs, end, and the sessions, or agent and end user. */
  t?: [id: string, verbs: number, expiresAt: number, sessionIds: string[]] | [string, number, number, string, string];
}

/** The form of an identity that a browser token narrows; without one it is `i1`. */
const narrowedForm = 'i2';

/**
 * Signed identities between the services of one fleet: `i1.<kid>.<claims>.<Ed25519 signature>`, for one audience, good
 * for 30 s.
 * Source: architecture, Identity and tenancy.
 */
export class IdentityTokens {
  private readonly pairs = new Map<string, Pair>();
  private readonly own: Pair | null;
  private readonly believed: ReadonlyMap<string, Believed>;

  constructor(
    private readonly keys: KeyRing,
    private readonly clock: Clock,
    { seed, believed }: IdentityKeys = { seed: null, believed: [] },
  ) {
    this.own = seed && pairOf(keyIdOf(ownPublicKey(seed)), seed);
    this.believed = new Map(
      believed.map(({ issuer, publicKey }) => [keyIdOf(publicKey), { issuer, publicKey: publicKeyOf(publicKey) }]),
    );
  }

  mint(identity: Identity, audience: string): string {
    const pair = this.own ?? this.pair(this.keys.active('identities').keyId);
    if (!pair) throw new Error('the active master key is gone');
    const claims = Buffer.from(JSON.stringify(claimsOf(identity, audience, this.seconds() + lifetimeSeconds))).toString(
      'base64url',
    );
    const head = identity.token ? `i2.${pair.keyId}.${claims}` : `i1.${pair.keyId}.${claims}`;
    return `${head}.${sign(null, Buffer.from(head), pair.privateKey).toString('base64url')}`;
  }

  /** Gives the identity, or null for a token that is foreign, changed, for another audience, or past its time. */
  verify(token: string, audience: string): Identity | null {
    const match = token.length <= tokenLengthMax ? tokenForm.exec(token) : null;
    const [, form, keyId, body, signature] = match ?? [];
    if (form === undefined || keyId === undefined || body === undefined || signature === undefined) return null;
    const key = this.believed.get(keyId) ?? this.masterKey(keyId);
    if (
      !key ||
      !verify(null, Buffer.from(`${form}.${keyId}.${body}`), key.publicKey, Buffer.from(signature, 'base64url'))
    )
      return null;
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Claims;
    if ((claims.t !== undefined) !== (form === narrowedForm)) return null;
    const now = this.seconds();
    if (claims.a !== audience || claims.e < now - skewSeconds || claims.e > now + lifetimeSeconds + skewSeconds)
      return null;
    if (claims.o === installation && key.issuer !== null && !operators.has(key.issuer)) return null;
    return identityOf(claims);
  }

  private masterKey(keyId: string): Believed | null {
    const pair = this.pair(keyId);
    return pair && { issuer: null, publicKey: pair.publicKey };
  }

  private seconds(): number {
    return Math.floor(this.clock.now() / 1000);
  }

  private pair(keyId: string): Pair | null {
    const known = this.pairs.get(keyId);
    if (known) return known;
    const seed = this.keys.find('identities', keyId);
    if (!seed) return null;
    const pair = pairOf(keyId, seed.secret);
    this.pairs.set(keyId, pair);
    return pair;
  }
}

/** Takes a seed of 32 bytes; gives its public key, 32 bytes. */
export function ownPublicKey(seed: Buffer): Buffer {
  return pairOf('', seed).publicKey.export({ format: 'der', type: 'spki' }).subarray(ed25519SpkiHead.length);
}

function pairOf(keyId: string, seed: Buffer): Pair {
  const privateKey = createPrivateKey({ key: Buffer.concat([ed25519Pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
  return { keyId, privateKey, publicKey: createPublicKey(privateKey) };
}

function publicKeyOf(bytes: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([ed25519SpkiHead, bytes]), format: 'der', type: 'spki' });
}

/** Follows from the key: no setting has to name it. */
function keyIdOf(publicKey: Buffer): string {
  return hash('sha256', publicKey, 'base64url').slice(0, 22);
}

function claimsOf(identity: Identity, audience: string, expiresAt: number): Claims {
  const { actsFor, token } = identity;
  return {
    o: identity.orgId,
    p: identity.principalId,
    k: kinds.indexOf(identity.kind),
    c: identity.apiKeyId,
    b: bitsOf(identity.permissions),
    r: identity.roles.map(({ roleId, revision }) => [roleId, revision]),
    q: identity.cap && [identity.cap.roleId, identity.cap.revision],
    i: identity.ip,
    x: identity.requestId,
    a: audience,
    e: expiresAt,
    ...(actsFor && { f: [actsFor.principalId, kinds.indexOf(actsFor.kind), bitsOf(actsFor.permissions)] }),
    ...(token && { t: tokenClaims(token) }),
  };
}

function identityOf(claims: Claims): Identity | null {
  const kind = kinds[claims.k];
  const actsFor = viewerOf(claims);
  if (kind === undefined || actsFor === null) return null;
  const role = ([roleId, revision]: [string, number]): RoleAtRevision => ({ roleId, revision });
  return {
    orgId: claims.o,
    principalId: claims.p,
    kind,
    apiKeyId: claims.c,
    permissions: permissionsOf(claims.b),
    roles: claims.r.map(role),
    cap: claims.q && role(claims.q),
    requestId: claims.x,
    ip: claims.i,
    ...(actsFor && { actsFor }),
    ...(claims.t && { token: tokenOf(claims.t) }),
  };
}

/** Its origins stay behind: the process that the page called has judged them. */
function tokenClaims({ id, verbs, expiresAt, reach }: BrowserToken): NonNullable<Claims['t']> {
  const bits = verbsToBits(verbs);
  return 'sessionIds' in reach
    ? [id, bits, expiresAt, [...reach.sessionIds]]
    : [id, bits, expiresAt, reach.agentId, reach.endUser];
}

function tokenOf([id, bits, expiresAt, named, endUser]: NonNullable<Claims['t']>): BrowserToken {
  const verbs = verbsOfBits(bits);
  if (typeof named !== 'string') return { id, verbs, expiresAt, reach: { sessionIds: named } };
  return { id, verbs, expiresAt, reach: { agentId: named, endUser: endUser ?? '' } };
}

/** Undefined when the identity stands for itself; null for a kind that is not known here. */
function viewerOf({ o, f }: Claims): Viewer | null | undefined {
  if (!f) return undefined;
  const [principalId, kindNumber, bits] = f;
  const kind = kinds[kindNumber];
  return kind === undefined ? null : { orgId: o, principalId, kind, permissions: permissionsOf(bits) };
}

function bitsOf(permissions: ReadonlySet<BasePermission>): number {
  return basePermissions.reduce((bits, permission, bit) => (permissions.has(permission) ? bits | (1 << bit) : bits), 0);
}

function permissionsOf(bits: number): Set<BasePermission> {
  return new Set(basePermissions.filter((_permission, bit) => (bits & (1 << bit)) !== 0));
}
