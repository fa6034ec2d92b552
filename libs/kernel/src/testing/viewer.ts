import { type Identity, impliedPermissions } from '../identity.js';

/** A service that may read what an organization shows. */
export const viewerOf = (orgId: string): Identity => ({
  orgId,
  principalId: 'svc_1',
  kind: 'service',
  apiKeyId: 'cred_1',
  permissions: impliedPermissions(['svc.resource.view']),
  roles: [],
  cap: null,
  requestId: 'req-1',
  ip: null,
});
