import { upcastRecorded } from '@aos/kernel';
import { apiKeyEvents, type ApiKeyEvent } from '../apikey/apikey.events.js';
import { organizationEvents, type OrganizationEvent } from '../organization/organization.events.js';
import { principalEvents, type PrincipalEvent, type RoleGrant } from '../principal/principal.events.js';
import { roleEvents, type RoleEvent } from '../role/role.events.js';
import { tokenEvents, type TokenEvent } from '../token/token.events.js';
import type { AuditFact, AuditMapping } from './audit-mapping.js';

const roles: AuditMapping = {
  prefix: 'role-',
  facts(event) {
    const { type, data } = upcastRecorded(roleEvents, event) as RoleEvent;
    const resource = { type: 'role', id: data.role.id, name: data.role.name };
    switch (type) {
      case 'RoleCreated':
        return [{ action: 'role.created', resource, after: data.role }];
      case 'RoleChanged':
        return [{ action: 'role.updated', resource, changedFields: data.changed_fields, after: data.role }];
      default:
        return [{ action: 'role.deleted', resource, after: null }];
    }
  },
};

const keys: AuditMapping = {
  prefix: 'apikey-',
  facts(event, previous) {
    const { type, data } = upcastRecorded(apiKeyEvents, event) as ApiKeyEvent;
    if (type === 'KeyIssued')
      return [
        {
          action: 'api_key.created',
          resource: { type: 'api_key', id: data.key.id, name: data.key.name },
          after: data.key,
        },
      ];
    const issued =
      previous?.type === 'KeyIssued'
        ? (upcastRecorded(apiKeyEvents, previous) as ApiKeyEvent & { type: 'KeyIssued' }).data.key
        : null;
    return [
      {
        action: 'api_key.revoked',
        resource: { type: 'api_key', id: `cred_${event.stream.slice('apikey-'.length)}`, name: issued?.name ?? null },
        after: null,
      },
    ];
  },
};

function assigned({ assignment_id, ...grant }: RoleGrant, principalId: string): AuditFact {
  return {
    action: 'role_assignment.created',
    resource: { type: 'role_assignment', id: assignment_id, name: null },
    after: { ...grant, principal_id: principalId },
  };
}

const principals: AuditMapping = {
  prefix: 'principal-',
  facts(event) {
    const id = event.stream.slice('principal-'.length);
    const { type, data } = upcastRecorded(principalEvents, event) as PrincipalEvent;
    const resource = { type: 'principal', id, name: null };
    switch (type) {
      case 'PrincipalCreated':
        return [
          { action: 'principal.created', resource: { ...resource, name: data.principal.name }, after: data.principal },
          ...data.grants.map((grant) => assigned(grant, id)),
        ];
      case 'PrincipalChanged':
        return [
          {
            action: 'principal.updated',
            resource: { ...resource, name: data.principal.name },
            changedFields: data.changed_fields,
            after: data.principal,
          },
        ];
      case 'PrincipalDisabled':
        return [{ action: 'principal.disabled', resource, changedFields: ['state'] }];
      case 'PrincipalEnabled':
        return [{ action: 'principal.enabled', resource, changedFields: ['state'] }];
      case 'PrincipalDeleted':
        return [{ action: 'principal.deleted', resource, after: null }];
      case 'RoleAssigned':
        return [assigned(data.grant, id)];
      case 'RoleUnassigned':
        return [
          {
            action: 'role_assignment.deleted',
            resource: { type: 'role_assignment', id: data.assignment_id, name: null },
            after: null,
          },
        ];
      default:
        return [];
    }
  },
};

const organizations: AuditMapping = {
  prefix: 'org-',
  facts(event) {
    const id = `org_${event.stream.slice('org-'.length)}`;
    const { type, data } = upcastRecorded(organizationEvents, event) as OrganizationEvent;
    if (type === 'OrganizationCreated')
      return [{ action: 'organization.created', resource: { type: 'organization', id, name: data.name } }];
    if (type === 'ContextReplaced')
      return [
        {
          action: 'organization_context.updated',
          resource: { type: 'organization', id, name: null },
          changedFields: ['content'],
          after: { content: data.content },
        },
      ];
    if (type === 'PlanChanged')
      return [
        {
          action: 'organization.plan_changed',
          resource: { type: 'organization', id, name: null },
          changedFields: ['plan'],
          after: { plan: data.plan },
        },
      ];
    if (type === 'ReturnOriginsReplaced')
      return [
        {
          action: 'oauth_return_origins.updated',
          resource: { type: 'organization', id, name: null },
          changedFields: ['origins'],
          after: { origins: data.origins },
        },
      ];
    return [];
  },
};

const tokens: AuditMapping = {
  prefix: 'token-',
  facts(event) {
    const { token } = (upcastRecorded(tokenEvents, event) as TokenEvent).data;
    return [{ action: 'token.issued', resource: { type: 'token', id: token.id, name: null }, after: token }];
  },
};

export const accessAuditMappings: readonly AuditMapping[] = [roles, keys, principals, organizations, tokens];
