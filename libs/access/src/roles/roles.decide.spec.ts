import { given } from '@aos/kernel/testing';
import type { RoleEvent, RoleRecord } from '../role/role.events.js';
import { roleKind } from '../role/role.state.js';
import { changeRole, checkPermissions, deleteRole } from './roles.decide.js';

const at = '2026-01-02T00:00:00.000Z';
const role: RoleRecord = {
  id: 'role_r',
  org_id: 'org_o',
  name: 'r',
  description: null,
  permissions: ['svc.billing.manage'],
  system_defined: false,
  tags: {},
  created_at: at,
  updated_at: at,
};
const created: RoleEvent = { type: 'RoleCreated', data: { role } };
const change =
  (asked: object, lacks: string | null = null) =>
  (state: Parameters<typeof changeRole>[1]) =>
    changeRole({ orgId: 'org_o', at, lacking: (added) => (added.length > 0 ? lacks : null), ...asked }, state);

describe('a custom role', () => {
  it('takes what is asked, whole', () => {
    const after = { ...role, permissions: ['svc.resource.view'], updated_at: at };
    given(roleKind, created)
      .when(change({ permissions: ['svc.resource.view'] }))
      .thenEvents({ type: 'RoleChanged', data: { role: after, changed_fields: ['permissions'] } });
    given(roleKind, created)
      .when(change({ permissions: ['svc.billing.manage'], tags: {} }))
      .thenNothing();
  });

  it('keeps a permission that its changer lacks, and takes no new one', () => {
    given(roleKind, created)
      .when(change({ permissions: ['svc.billing.manage'], description: 'd' }, 'svc.billing.manage'))
      .thenTypes('RoleChanged');
    given(roleKind, created)
      .when(change({ permissions: ['svc.billing.manage', 'svc.org.admin'] }, 'svc.org.admin'))
      .thenRefuses('permission_denied', { permission: 'svc.org.admin' });
  });

  it('is not there for another organization, nor when deleted', () => {
    given(roleKind, created)
      .when((state) => deleteRole({ orgId: 'org_x', at }, state))
      .thenRefuses('not_found');
    given(roleKind, created, { type: 'RoleDeleted', data: { role } })
      .when(change({ description: 'd' }))
      .thenRefuses('not_found');
    given(roleKind)
      .when(change({ description: 'd' }))
      .thenRefuses('not_found');
  });

  it('names known permissions, at most 500', () => {
    expect(() => checkPermissions(['svc.nope'])).toThrow(expect.objectContaining({ code: 'unknown_permission' }));
    expect(() => checkPermissions(Array.from({ length: 501 }, (_, n) => `actions.execute.a.b${n}`))).toThrow(
      expect.objectContaining({ code: 'bad_request' }),
    );
  });
});
