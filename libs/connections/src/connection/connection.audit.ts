import { upcastRecorded } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import { connectionEvents, type ConnectionEvent } from './connection.events.js';

type OAuthEvent = Exclude<
  ConnectionEvent['type'],
  'ConnectionCreated' | 'ConnectionChanged' | 'ConnectionRotated' | 'ConnectionGranted' | 'ConnectionDeleted'
>;

const oauthActions: Readonly<Record<OAuthEvent, string>> = {
  AuthorizationBegun: 'connection.authorization_begun',
  CodeArrived: 'connection.code_arrived',
  CodeRedeemed: 'connection.code_redeemed',
  ConnectionAuthorized: 'connection.authorized',
  AuthorizationFailed: 'connection.authorization_failed',
  RefreshBegun: 'connection.refresh_begun',
  TokenRefreshed: 'connection.token_refreshed',
  RefreshFailed: 'connection.refresh_failed',
  AuthorizationLost: 'connection.authorization_lost',
};

/** The audit entries of connections (control S34). Records hold no secrets. */
export const connectionAudit: AuditMapping = {
  prefix: 'connection-',
  facts(event): AuditFact[] {
    const { type, data } = upcastRecorded(connectionEvents, event) as ConnectionEvent;
    const { connection: after } = data;
    const resource = { type: 'connection', id: after.id, name: after.name };
    switch (type) {
      case 'ConnectionCreated':
        return [{ action: 'connection.created', resource, after }];
      case 'ConnectionChanged':
        return [{ action: 'connection.updated', resource, changedFields: data.changed_fields, after }];
      case 'ConnectionRotated':
        return [{ action: 'connection.rotated', resource, changedFields: ['secret_version'], after }];
      case 'ConnectionGranted':
        return [{ action: 'connection.granted', resource, changedFields: ['grants'], after }];
      case 'ConnectionDeleted':
        return [{ action: 'connection.deleted', resource, after: null }];
      default:
        return [{ action: oauthActions[type], resource, changedFields: ['status', 'oauth'], after }];
    }
  },
};
