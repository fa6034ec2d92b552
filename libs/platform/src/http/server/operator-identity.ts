import { basePermissions, notFound, type Identity } from '@aos/kernel';
import { installation } from '../../keys/identity-tokens.js';

/**
 * Whoever runs the installation, for one request; only worth something signed by the operator or access-service, or
 * inside the process.
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

/** To everybody else operators' commands are not there. */
export function requireOperator({ orgId, principalId, kind }: Identity): void {
  if (orgId !== installation || principalId !== installation || kind !== 'system') throw notFound('command');
}
