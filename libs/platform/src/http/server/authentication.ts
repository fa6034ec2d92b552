import { Refusal } from '@aos/kernel';
import type { BasePermission, Identity } from '@aos/kernel';
import { isApiKeyForm } from '../../keys/api-key-form.js';
import type { IdentityTokens } from '../../keys/identity-tokens.js';
import type { Operation } from '../contract/contract.js';
import { RefusalWithHeaders } from './envelope.js';
import type { Soon } from './when-there.js';

export interface Credentials {
  /** As it came. */
  authorization?: string;
  /** A signed identity of another service. */
  identityToken?: string;
  /** Caller's address; a proxy's word counts only when the proxy is trusted. */
  ip: string | null;
  requestId: string;
  /** The connection it came on. A source may keep with it what follows from the header's bytes alone (rule TP15). */
  connection?: object;
}

/**
 * Who asks. One implementation works API keys out in the gateway, `TokenIdentitySource` believes signed identities
 * inside the fleet.
 *
 * Gives null for every bad credential alike. Throws `StoreUnavailable` when it cannot know: that is answered 503, never
 * 401 (rule G25).
 */
export abstract class IdentitySource {
  abstract identify(credentials: Credentials): Soon<Identity | null>;
}

/** Header that carries a signed identity between services. */
export const identityHeader = 'x-svc-identity';

export class TokenIdentitySource extends IdentitySource {
  constructor(
    private readonly tokens: IdentityTokens,
    private readonly audience: string,
  ) {
    super();
  }

  override identify({ identityToken }: Credentials): Identity | null {
    return identityToken === undefined ? null : this.tokens.verify(identityToken, this.audience);
  }
}

/** 401 with the same body for every cause (rule A6). */
export function unauthorized(): Refusal {
  return new RefusalWithHeaders(
    'unauthorized',
    { 'www-authenticate': 'Bearer' },
    {},
    'credential missing or not valid',
  );
}

/** The text behind `Bearer`, or null when it cannot be a key at all. */
export function bearerKey(authorization: string | undefined): string | null {
  const match =
    authorization === undefined || authorization.length > 300 ? null : /^bearer +(\S+)$/i.exec(authorization);
  const key = match?.[1];
  return key !== undefined && isApiKeyForm(key) ? key : null;
}

/** `x-permission` of what every key may, also one without any permission (rule A35). */
const anyKey = 'any';

/** Throws `permission_denied` when the contract asks for a base permission that the caller lacks (rules A7, A21). */
export function requirePermission(operation: Operation, identity: Identity): void {
  const { permission } = operation;
  if (permission === null || permission === anyKey || permission.startsWith('actions.execute.')) return;
  if (!identity.permissions.has(permission as BasePermission)) throw permissionDenied(permission);
}

export function permissionDenied(permission: string): Refusal {
  return new Refusal('permission_denied', { permission }, `needs ${permission}`);
}
