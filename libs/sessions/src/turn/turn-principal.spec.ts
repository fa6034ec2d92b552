import { fold, impliedPermissions, type Viewer } from '@aos/kernel';
import type { ActivePrincipals } from '@aos/access/published';
import { queueNudge, type QueueNudge } from './nudges.decide.js';
import { turnId } from '../session/session.ids.js';
import type { SessionEvent } from '../session/session.events.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { after, now, openingOf, startOf } from '../testing/session.fixture.js';
import { claimTurn, failTurn } from './run.decide.js';
import { startTurn } from './start.decide.js';
import { actingPrincipal, cappedPermissions, outcomePrincipal } from './turn-principal.js';

const opening = openingOf({ owner: { kind: 'person', id: 'user_ann' }, visibility: 'private', created_by: 'user_ann' });
const admin: Viewer = {
  orgId: 'org_a',
  principalId: 'user_ann',
  kind: 'human',
  permissions: impliedPermissions(['svc.org.admin']),
};
const knowing = (viewer: Viewer | null) =>
  ({
    find: async (_org: string, id: string) => (viewer?.principalId === id ? viewer : null),
  }) as unknown as ActivePrincipals;
const nudge = (more: Partial<QueueNudge> = {}): QueueNudge => ({
  now,
  content: 'go on',
  wake: false,
  idempotencyKey: null,
  digest: 'd',
  metadata: null,
  senderPrincipalId: 'user_bob',
  sender: { kind: 'human' },
  agent: { status: 'active', timeoutSeconds: 600 },
  ...more,
});
const admitted = after([], (state, revision) =>
  startTurn(
    startOf({
      open: opening,
      principalId: 'user_ann',
      principalKind: 'human',
      principalPermissions: ['svc.resource.view'],
    }),
    state,
    revision,
  ),
);
const started = after(admitted, (state) =>
  claimTurn({ turnId: turnId(opening.id, 0), runner: 'r', now, takeover: null }, state),
);
const firstTurn = turnId(opening.id, 0);
const broken = (state: SessionState, revision: number) =>
  failTurn(
    { turnId: firstTurn, epoch: 1, now, errorType: 'internal_error', message: 'broke off', partial: [] },
    state,
    revision,
  );
const inputsOf = (events: SessionEvent[]) =>
  events.flatMap((event) => (event.type === 'TurnQueued' ? [event.data.input] : []));

describe('whom a turn acts for', () => {
  it('rules A33, A34: the principal as it is now, and no more than was recorded with the turn', async () => {
    const [input] = inputsOf(started);
    const viewer = await actingPrincipal(knowing(admin), 'org_a', {
      principal_id: 'user_ann',
      principal_permissions: input?.principal_permissions ?? [],
    });
    expect(viewer).toEqual({ ...admin, permissions: new Set(['svc.resource.view']) });
    expect(await actingPrincipal(knowing(admin), 'org_a', { principal_id: 'user_ann' })).toEqual(admin);
    expect(await actingPrincipal(knowing(null), 'org_a', { principal_id: 'user_ann' })).toBeNull();
  });

  it('rule A27: only a key with a cap leaves something to record', () => {
    const cap = { roleId: 'role_a', revision: 0 };
    expect(cappedPermissions({ cap: null, permissions: admin.permissions })).toEqual({});
    expect(cappedPermissions({ cap, permissions: impliedPermissions(['svc.resource.use']) })).toEqual({
      permissions: ['svc.resource.use', 'svc.resource.view'],
    });
  });

  it("rule A33: an outcome's turn acts for the session's owner, else for the organization without administration", () => {
    expect(outcomePrincipal(opening)).toEqual({ principal_id: 'user_ann', principal_kind: 'human' });
    for (const id of [null, 'user_ann'])
      expect(outcomePrincipal({ org_id: 'org_a', owner: { kind: 'team', id } })).toEqual({
        principal_id: 'svc_a',
        principal_kind: 'system',
        principal_permissions: ['svc.resource.use', 'svc.resource.view'],
      });
  });

  it('rules A33, S30: a nudge that starts a turn, at once or when the one before it ends, acts for its sender', () => {
    const sender = { kind: 'human', permissions: ['svc.resource.use', 'svc.resource.view'] };
    const opened: SessionEvent[] = [{ type: 'SessionOpened', data: { session: opening } }];
    const facts = {
      origin: 'nudge',
      principal_id: 'user_bob',
      principal_kind: 'human',
      principal_permissions: sender.permissions,
    };
    expect(inputsOf(after(opened, (state, revision) => queueNudge(nudge({ sender }), state, revision)))).toMatchObject([
      facts,
    ]);
    const queued = after(started, (state, revision) => queueNudge(nudge({ sender }), state, revision));
    const ended = after(queued, broken);
    expect(inputsOf(ended).slice(1)).toMatchObject([facts]);
    expect(fold(sessionKind, structuredClone(ended)).nudgeSenders?.size).toBe(0);
  });

  it('a nudge from before its sender was recorded still starts its turn, for the principal of that id', () => {
    const queued = after(started, (state, revision) => queueNudge(nudge(), state, revision)).map((event) => {
      if (event.type !== 'NudgeQueued') return event;
      const { sender: _, ...data } = event.data;
      return { ...event, data };
    });
    const ended = after(queued, broken);
    expect(inputsOf(ended).slice(1)).toMatchObject([
      { origin: 'nudge', principal_id: 'user_bob', principal_kind: 'service' },
    ]);
  });
});
