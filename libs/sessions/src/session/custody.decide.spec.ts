import type { BasePermission, CustodyCommand } from '@aos/kernel';
import { given } from '@aos/kernel/testing';
import { changeSessionCustody } from './custody.decide.js';
import type { SessionEvent, SessionOpening } from './session.events.js';
import { sessionKind, type SessionState } from './session.state.js';

const now = '2026-01-02T00:00:00.000Z';
const ann = { kind: 'person' as const, id: 'user_ann' };
const team = { kind: 'team' as const, id: null };
const caller = (principalId: string, ...permissions: BasePermission[]) => ({
  principalId,
  permissions: new Set(permissions),
});
const opened = (more: Partial<SessionOpening> = {}): SessionEvent => ({
  type: 'SessionOpened',
  data: {
    session: {
      id: 'ses_1',
      org_id: 'org_1',
      agent_id: 'agent_1',
      session_key: 'k',
      owner: ann,
      visibility: 'private',
      title: '',
      origin: 'api',
      compaction_policy: { strategy: 'auto' },
      created_by: 'user_ann',
      created_at: '2026-01-01T00:00:00.000Z',
      ...more,
    },
  },
});
const changing =
  (
    wanted: Partial<CustodyCommand['wanted']>,
    who = caller('user_ann'),
    basis: CustodyCommand['basis'] = { kind: 'transfer', owner_is_gone: false },
  ) =>
  (state: SessionState) =>
    changeSessionCustody({ wanted: { confirmed: false, ...wanted }, basis, caller: who, now }, state);
const disposition = (id: string) => ({ kind: 'disposition' as const, change_id: id });

describe('rule TE10: custody of a session', () => {
  it("is changed by its owner, and by administrators for the team's", () => {
    const own = given(sessionKind, opened());
    own.when(changing({ owner: { kind: 'person', id: 'user_bob' } })).thenState(({ opening, updatedAt }) => {
      expect([opening?.owner.id, opening?.visibility, updatedAt]).toEqual(['user_bob', 'private', now]);
    });
    own.when(changing({ owner: team }, caller('user_bob', 'svc.org.admin'))).thenRefuses('not_found');
    own.when(changing({ owner: team })).thenRefuses('invalid_argument');
    own.when(changing({ visibility: 'organization' })).thenRefuses('visibility_change_unconfirmed');
    own.when(changing({ visibility: 'private' })).thenNothing();
    own.when(changing({ detach: true })).thenRefuses('conflict', { reason: 'container' });
    const teams = given(sessionKind, opened({ owner: team, visibility: 'organization' }));
    teams.when(changing({ owner: ann }, caller('user_bob'))).thenRefuses('not_found');
    teams.when(changing({ owner: ann }, caller('user_bob', 'svc.org.admin'))).thenTypes('CustodyChanged');
    teams
      .when(changing({ visibility: 'private' }, caller('user_bob', 'svc.org.admin')))
      .thenRefuses('invalid_argument');
    given(sessionKind, opened(), { type: 'SessionDeleted', data: { at: now } })
      .when(changing({}))
      .thenRefuses('not_found');
  });
});

describe('rule TE11: a disposition over a session', () => {
  it('changes it once for each change, also when nothing differs or it was changed back since', () => {
    const widen = changing({ visibility: 'organization', confirmed: true }, caller('user_ann'), disposition('c1'));
    const again = changing({ visibility: 'organization', confirmed: true }, caller('user_ann'), disposition('c2'));
    const changed: SessionEvent = {
      type: 'CustodyChanged',
      data: { owner: ann, visibility: 'organization', change_id: 'c1', at: now },
    };
    const back: SessionEvent = {
      type: 'CustodyChanged',
      data: { owner: ann, visibility: 'private', change_id: null, at: now },
    };
    given(sessionKind, opened()).when(widen).thenTypes('CustodyChanged');
    given(sessionKind, opened({ visibility: 'organization' }))
      .when(widen)
      .thenTypes('CustodyChanged');
    given(sessionKind, opened(), changed).when(widen).thenNothing();
    given(sessionKind, opened(), changed, back).when(widen).thenNothing();
    given(sessionKind, opened(), changed, back).when(again).thenTypes('CustodyChanged');
  });
});
