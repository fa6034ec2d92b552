import { impliedPermissions, type Identity } from '@aos/kernel';
import { systemPrincipalId } from '../principal/principal.ids.js';

/** The organization itself, with the use of things and never administration: the service's own acts are its. */
export function organizationIdentity(orgId: string, requestId: string): Identity {
  return {
    orgId,
    principalId: systemPrincipalId(orgId),
    kind: 'system',
    apiKeyId: null,
    permissions: impliedPermissions(['svc.resource.use']),
    roles: [],
    cap: null,
    requestId,
    ip: null,
  };
}
