import { Refusal } from '@aos/kernel';
import { given } from '@aos/kernel/testing';
import type { PrincipalEvent, PrincipalRecord, RoleGrant } from '../principal/principal.events.js';
import { isActiveOwner, principalKind } from '../principal/principal.state.js';
import { assignRole, changePrincipal, deletePrincipal, unassignRole } from './principals.decide.js';

const at = '2026-01-01T00:00:00.000Z';
const record: PrincipalRecord = {
  id: 'svc_p',
  org_id: 'org_o',
  kind: 'service',
  name: 'p',
  description: null,
  email: null,
  owner_id: null,
  metadata: null,
  tags: {},
  created_at: at,
  updated_at: at,
};
const grant = (role_id: string): RoleGrant => ({
  assignment_id: `rasg_${role_id}`,
  role_id,
  granted_by: 'svc_o',
  granted_at: at,
});
const created = (...roles: string[]): PrincipalEvent => ({
  type: 'PrincipalCreated',
  data: { principal: record, grants: roles.map(grant) },
});
const deleted: PrincipalEvent = { type: 'PrincipalDeleted', data: { at } };

describe('a principal', () => {
  it('has a role once', () => {
    given(principalKind, created())
      .when((state) => assignRole({ grant: grant('r') }, state))
      .thenEvents({ type: 'RoleAssigned', data: { grant: grant('r') } });
    given(principalKind, created('r'))
      .when((state) => assignRole({ grant: grant('r') }, state))
      .thenRefuses('already_exists', { resource_id: 'rasg_r' });
    given(principalKind, created(...Array.from({ length: 100 }, (_, n) => `r${n}`)))
      .when((state) => assignRole({ grant: grant('r') }, state))
      .thenRefuses('conflict');
  });

  it('of an agent comes into being with its first grant', () => {
    const derived = { ...record, kind: 'agent' as const };
    given(principalKind)
      .when((state) => assignRole({ grant: grant('r'), derived }, state))
      .thenTypes('PrincipalCreated', 'RoleAssigned');
    given(principalKind)
      .when((state) => assignRole({ grant: grant('r') }, state))
      .thenRefuses('not_found');
  });

  it('loses only a role it has', () => {
    given(principalKind, created('r'))
      .when((state) => unassignRole({ roleId: 'r', at }, state))
      .thenTypes('RoleUnassigned');
    given(principalKind, created())
      .when((state) => unassignRole({ roleId: 'r', at }, state))
      .thenRefuses('not_found');
    given(principalKind, created('r'), deleted)
      .when((state) => unassignRole({ roleId: 'r', at }, state))
      .thenRefuses('not_found');
  });

  it('changes by what is asked and nothing else', () => {
    given(principalKind, created('a', 'b'))
      .when((state) => changePrincipal({ at, grants: [grant('b'), grant('c')] }, state))
      .thenTypes('RoleUnassigned', 'RoleAssigned');
    given(principalKind, created('a'))
      .when((state) => changePrincipal({ at, grants: [grant('a')], state: 'active', tags: {} }, state))
      .thenNothing();
    given(principalKind, created())
      .when((state) => changePrincipal({ at, state: 'disabled', description: 'd' }, state))
      .thenTypes('PrincipalChanged', 'PrincipalDisabled');
    given(principalKind, created(), deleted)
      .when((state) => changePrincipal({ at, description: 'd' }, state))
      .thenRefuses('not_found');
  });

  it('is given no role that its changer may not grant, but keeps one it has', () => {
    const command = {
      at,
      grants: [grant('a')],
      withheld: new Map([['a', new Refusal('permission_denied', { permission: 'svc.billing.manage' }, 'no')]]),
    };
    given(principalKind, created())
      .when((state) => changePrincipal(command, state))
      .thenRefuses('permission_denied', { permission: 'svc.billing.manage' });
    given(principalKind, created('a'))
      .when((state) => changePrincipal(command, state))
      .thenNothing();
  });

  it('is no Owner when disabled, deleted or without the role', () => {
    const owner = (...past: PrincipalEvent[]) => isActiveOwner(given(principalKind, ...past).state(), 'owner');
    expect(owner(created('owner'))).toBe(true);
    expect(owner(created('other'))).toBe(false);
    expect(owner(created('owner'), { type: 'PrincipalDisabled', data: { at } })).toBe(false);
    expect(owner(created('owner'), deleted)).toBe(false);
  });

  it('is deleted once', () => {
    given(principalKind, created(), deleted)
      .when((state) => deletePrincipal({ at }, state))
      .thenRefuses('not_found');
  });
});
