import { given } from '@aos/kernel/testing';
import type { OrganizationEvent } from './organization.events.js';
import { organizationKind } from './organization.state.js';
import { enterOwners, leaveOwnerKeys, leaveOwners } from './owners.decide.js';

const entered = (principal_id: string, principal_revision: number): OrganizationEvent => ({
  type: 'OwnerEntered',
  data: { principal_id, principal_revision },
});
const left = (principal_id: string, principal_revision: number): OrganizationEvent => ({
  type: 'OwnerLeft',
  data: { principal_id, principal_revision },
});
const leave = (principalId: string, principalRevision: number) => (state: Parameters<typeof leaveOwners>[1]) =>
  leaveOwners({ principalId, principalRevision }, state);
const enter = (principalId: string, principalRevision: number) => (state: Parameters<typeof enterOwners>[1]) =>
  enterOwners({ principalId, principalRevision }, state);

describe('the set of Owners', () => {
  it('keeps its last member', () => {
    given(organizationKind, entered('a', 1)).when(leave('a', 1)).thenRefuses('last_owner');
    given(organizationKind).when(leave('a', 1)).thenRefuses('last_owner');
    given(organizationKind, entered('b', 0)).when(leave('a', 1)).thenEvents(left('a', 1));
    given(organizationKind, entered('a', 1), entered('b', 0)).when(leave('a', 4)).thenEvents(left('a', 4));
  });

  it('rules A16, A32: counts no worker, which sets from before may hold', () => {
    const worker = 'wrk_01m8p03v3jmeqt404kny522cy9';
    given(organizationKind, entered('a', 1), entered(worker, 0)).when(leave('a', 1)).thenRefuses('last_owner');
    given(organizationKind, entered('a', 1), entered('b', 0), entered(worker, 0))
      .when(leave('a', 1))
      .thenEvents(left('a', 1));
  });

  it('takes a repeated leaving once', () => {
    given(organizationKind, entered('b', 0), left('a', 3)).when(leave('a', 3)).thenNothing();
    given(organizationKind, entered('b', 0), left('a', 3)).when(leave('a', 4)).thenEvents(left('a', 4));
  });

  it('ignores a leaving that rests on less than the entry', () => {
    given(organizationKind, entered('b', 0), left('a', 3), entered('a', 5)).when(leave('a', 3)).thenNothing();
  });

  it('ignores an entry at or below the last leaving', () => {
    given(organizationKind, left('a', 3)).when(enter('a', 3)).thenNothing();
    given(organizationKind, left('a', 3)).when(enter('a', 4)).thenEvents(entered('a', 4));
    given(organizationKind, left('a', 3), entered('a', 2))
      .when(enter('b', 0))
      .thenState(({ owners }) => expect([...owners.keys()]).toEqual(['b']));
  });

  it('takes a repeated entry once', () => {
    given(organizationKind, entered('a', 3)).when(enter('a', 3)).thenNothing();
  });
});

describe('rule A16: keys that act as Owner', () => {
  const leaveKey = (keyId: string, otherId: string | null) => (state: Parameters<typeof leaveOwnerKeys>[1]) =>
    leaveOwnerKeys({ keyId, otherId }, state);

  it('leave while another one stays, and only then', () => {
    given(organizationKind).when(leaveKey('a', 'b')).thenEvents(left('a', 0));
    given(organizationKind).when(leaveKey('a', null)).thenRefuses('last_owner');
    given(organizationKind, left('b', 0)).when(leaveKey('a', 'b')).thenRefuses('last_owner');
  });

  it('leave once, so that a revocation that broke off is repeated', () => {
    given(organizationKind, left('a', 0)).when(leaveKey('a', 'b')).thenNothing();
  });
});
