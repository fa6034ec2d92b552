import { basePermissions, notFound, type Identity } from '@aos/kernel';
import { INSTALLATION } from '../../keys/identity-tokens.js';

/** Whoever runs the installation, for one request; only worth something signed by the operator or access-service, or inside the process. */
export function operatorIdentity(requestId: string): Identity {
  return {
    orgId: INSTALLATION,
    principalId: INSTALLATION,
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
  if (orgId !== INSTALLATION || principalId !== INSTALLATION || kind !== 'system') throw notFound('command');
}
