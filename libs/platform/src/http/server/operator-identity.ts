import { basePermissions, notFound, type Identity } from '@aos/kernel';
import { installation } from '../../keys/identity-tokens.js';

/**
 * Identity of the operator of the installation, for one request. It is believed only when the operator or
 * access-service signed it, or inside the process.
 */
export function operatorIdentity(requestId: string): Identity {
  return {
    orgId: installation,
    principalId: installation,
    kind: 'system',
    apiKeyId: null,
    permissions: new Set(basePermissions),
    roles: [],
    cap: null,
    requestId,
    ip: null,
  };
}

/** Refuses `not_found` for every caller but the operator: operators' commands are hidden from the others. */
export function requireOperator({ orgId, principalId, kind }: Identity): void {
  if (orgId !== installation || principalId !== installation || kind !== 'system') throw notFound('command');
}
