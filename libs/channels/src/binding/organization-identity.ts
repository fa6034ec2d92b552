import { impliedPermissions, type Identity } from '@aos/kernel';
import { systemPrincipalId } from '@aos/access/published';

/** The organization itself with the use of things and never administration: channel turns act for it (rule TE14). */
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
