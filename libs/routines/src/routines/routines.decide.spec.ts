import { fold, type BasePermission, type PrincipalKind, type WantedCustody } from '@aos/kernel';
import { changeRoutineOwner } from '../custody/custody.decide.js';
import { fireRoutine, type Firing } from '../firing/firing.decide.js';
import {
  admitOccurrence,
  dropOccurrence,
  finishOccurrence,
  recordOccurrence,
} from '../occurrences/occurrences.decide.js';
import { occurrenceKind } from '../occurrence/occurrence.state.js';
import type { OccurrenceEvent, OccurrenceRecord } from '../occurrence/occurrence.events.js';
import { addToRoster, removeFromRoster } from '../roster/roster.decide.js';
import type { RosterEntry, RoutineEvent, RoutineRecord } from '../routine/routine.events.js';
import { routineKind } from '../routine/routine.state.js';
import { runAsOf } from '../routine/run-as.decide.js';
import { actingProviders } from '../routine/acting.decide.js';
import { bindingOf, isRevoked, isWithoutSource } from '../routine/source.decide.js';
import {
  cancelRoutine,
  changeRoutine,
  createRoutine,
  nameFrom,
  ownerOf,
  pauseRoutine,
  resumeRoutine,
  suspendRoutine,
  type RoutineChange,
} from './routines.decide.js';
import { isVisible } from '../routine/reach.decide.js';

const now = '2026-01-05T00:00:00.000Z';
const caller = (
  principalId: string,
  permissions: BasePermission[] = ['svc.resource.view', 'svc.resource.build'],
  kind: PrincipalKind = 'human',
) => ({ orgId: 'org_1', principalId, kind, permissions: new Set(permissions) });
const owner = caller('user_1');
const other = caller('user_2');
const admin = caller('user_9', ['svc.org.admin', 'svc.resource.build', 'svc.resource.view']);
const team = caller('svc_1', ['svc.resource.build', 'svc.resource.view'], 'service');
const entry = (principalId: string, relationship: RosterEntry['relationship']): RosterEntry => ({
  principal_id: principalId,
  relationship,
  kind: 'human',
  added_by: 'user_1',
  added_at: now,
  ...(relationship === 'follower' && { level: 'all_results' as const }),
});

function routine(more: Partial<RoutineRecord> = {}): RoutineRecord {
  return {
    id: 'rtn_1',
    org_id: 'org_1',
    agent_id: 'agent_1',
    origin_session_id: null,
    owner: { kind: 'team', id: null },
    managed_by: 'team',
    name: 'R',
    instructions: 'Do',
    schedule: { interval: '1h' },
    event: null,
    timezone: 'UTC',
    source_bound: false,
    status: 'active',
    pause_reason: null,
    armed_at: '2026-01-01T00:00:00.000Z',
    next_fire_at: '2026-01-01T01:00:00.000Z',
    last_fire_at: null,
    fired_count: 0,
    completed_at: null,
    per_occurrence_ceiling_milli: 0,
    daily_ceiling_milli: 0,
    act_as_user_providers: [],
    roster: [],
    run_as: { id: 'svc_1', kind: 'service', as_admin: false },
    created_by: 'svc_1',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}
const at = (more: Partial<RoutineRecord> = {}) => ({ routine: routine(more) });
const applied = (more: Partial<RoutineRecord>, decide: (state: { routine: RoutineRecord | null }) => RoutineEvent[]) =>
  fold(routineKind, decide(at(more)), at(more)).routine;
function refusal(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

describe('rule TE10: the owner of a routine', () => {
  const hers = { owner: { kind: 'person' as const, id: 'user_1' }, act_as_user_providers: ['github'] };
  const handOn =
    (wanted: Partial<WantedCustody>, who = admin, ownerIsGone = true) =>
    (state: { routine: RoutineRecord | null }) =>
      changeRoutineOwner({ wanted: { confirmed: false, ...wanted }, ownerIsGone, caller: who, now }, state);

  it('is the caller or the team, and it runs as the caller from then on', () => {
    const taken = applied(hers, handOn({ owner: { kind: 'person', id: 'user_9' } }));
    expect(taken).toMatchObject({
      owner: { kind: 'person', id: 'user_9' },
      run_as: { id: 'user_9', permissions: [...admin.permissions].sort() },
      act_as_user_providers: [],
    });
    const confirmed = { owner: { kind: 'team' as const }, confirmed: true };
    expect(applied(hers, handOn(confirmed))).toMatchObject({
      owner: { kind: 'team', id: null },
      run_as: { id: 'user_9' },
    });
    expect(refusal(() => handOn({ owner: { kind: 'team' } })(at(hers)))).toBe('visibility_change_unconfirmed');
    expect(refusal(() => handOn({ owner: { kind: 'person', id: 'user_2' } })(at(hers)))).toBe('invalid_argument');
    expect(refusal(() => handOn({ visibility: 'organization' })(at(hers)))).toBe('invalid_argument');
    expect(refusal(() => handOn(confirmed, admin, false)(at(hers)))).toBe('permission_denied');
    expect(handOn({ visibility: 'private' })(at(hers))).toEqual([]);
  });
});

describe('who may do what', () => {
  it("a person owns what it makes, software makes the team's", () => {
    expect([ownerOf(undefined, owner), ownerOf('team', owner), ownerOf(undefined, team)]).toEqual([
      { kind: 'person', id: 'user_1' },
      { kind: 'team', id: null },
      { kind: 'team', id: null },
    ]);
    expect(refusal(() => ownerOf('person', team))).toBe('invalid_argument');
  });

  it("a person's routine is for its owner, its roster and administrators", () => {
    const own = routine({ owner: { kind: 'person', id: 'user_1' } });
    expect([owner, other, admin, { ...owner, orgId: 'org_2' }].map((one) => isVisible(own, one))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(isVisible({ ...own, roster: [entry('user_2', 'follower')] }, other)).toBe(true);
    expect(refusal(() => pauseRoutine({ caller: other, now }, { routine: own }))).toBe('not_found');
  });

  it('named people change what they manage, anybody who builds what the team does', () => {
    const named = { managed_by: 'named' as const, roster: [entry('user_2', 'manager'), entry('user_3', 'follower')] };
    expect(refusal(() => pauseRoutine({ caller: caller('user_3'), now }, at(named)))).toBe('permission_denied');
    expect(pauseRoutine({ caller: other, now }, at(named))).toHaveLength(1);
    expect(pauseRoutine({ caller: admin, now }, at(named))).toHaveLength(1);
    expect(pauseRoutine({ caller: caller('user_3'), now }, at())).toHaveLength(1);
  });
});

const granting = { named: null, accounts: {} };

describe('rule A34: whose authority a routine has', () => {
  const armed = { now, next_fire_at: null };
  const own = {
    owner: { kind: 'person' as const, id: 'user_1' },
    roster: [entry('user_2', 'manager')],
    run_as: runAsOf({ kind: 'person', id: 'user_1' }, owner),
  };
  const after = (more: Partial<RoutineRecord>, change: RoutineChange, who = other) =>
    applied(more, (state) => changeRoutine({ change, armed, caller: who, granting }, state))?.run_as;

  it("a team's is its last editor's, with the cap of that key", () => {
    expect(after({}, { instructions: 'Other' })).toEqual({
      id: 'user_2',
      kind: 'human',
      permissions: ['svc.resource.build', 'svc.resource.view'],
      as_admin: false,
    });
    expect(
      after(
        {},
        { trigger: { schedule: null, event: { event_type: 'table.*' }, timezone: 'UTC', source_bound: false } },
      ),
    ).toMatchObject({ id: 'user_2' });
    expect(after({}, { instructions: 'Other' }, admin)?.permissions).toContain('svc.org.admin');
  });

  it("a person's stays its owner's, with the cap of the last editor's key", () => {
    expect(after(own, { instructions: 'Other' }, admin)).toMatchObject({
      id: 'user_1',
      kind: 'human',
      permissions: expect.arrayContaining(['svc.org.admin']) as string[],
    });
    expect(after(own, { instructions: 'Other' }, caller('user_2', ['svc.resource.build']))).toMatchObject({
      id: 'user_1',
      permissions: ['svc.resource.build'],
    });
  });

  it('no other change touches it, nor one that changes nothing', () => {
    const run_as = { id: 'svc_1', kind: 'service', as_admin: false };
    expect(after({}, { name: 'Other', daily_ceiling_milli: 7, managed_by: 'named' })).toEqual(run_as);
    const same = { schedule: { interval: '1h' }, event: null, timezone: 'UTC', source_bound: false };
    expect(after({}, { name: 'Other', instructions: 'Do', trigger: same })).toEqual(run_as);
  });
});

describe('rules TE24, TE27: the accounts of the person that it runs as', () => {
  const armed = { now, next_fire_at: null };
  const granted = { named: 'conn_e', accounts: { crm: ['conn_1', 'conn_2'] } };
  const changed = (more: Partial<RoutineRecord>, change: RoutineChange, who = other) =>
    applied(more, (state) => changeRoutine({ change, armed, caller: who, granting: granted }, state));
  const named = changed({}, { act_as_user_providers: ['crm'] });
  const own = {
    owner: { kind: 'person' as const, id: 'user_1' },
    run_as: runAsOf({ kind: 'person', id: 'user_1' }, owner),
  };

  it('are named by that person only, who gives a routine of the team its authority by it', () => {
    expect(named).toMatchObject({ act_as_user_providers: ['crm'], act_as_user_by: 'user_2', run_as: { id: 'user_2' } });
    expect(named?.rests_on).toEqual([
      { connection_id: 'conn_1', provider: 'crm' },
      { connection_id: 'conn_2', provider: 'crm' },
    ]);
    for (const who of [admin, { ...owner, kind: 'service' as const }])
      expect(
        refusal(() =>
          changeRoutine(
            { change: { act_as_user_providers: ['crm'] }, armed, caller: who, granting: granted },
            at({ ...own, roster: [entry('user_2', 'manager')] }),
          ),
        ),
      ).toBe('invalid_argument');
    expect(changed(own, { act_as_user_providers: ['crm'] }, owner)).toMatchObject({ act_as_user_by: 'user_1' });
  });

  it('hold until another person decides what it does, or they are taken away', () => {
    if (!named) throw new Error('nothing was decided');
    expect(changed(named, { name: 'Other' }, admin)?.act_as_user_providers).toEqual(['crm']);
    expect(changed(named, { instructions: 'Other' })?.act_as_user_providers).toEqual(['crm']);
    const taken = changed(named, { instructions: 'Other' }, admin);
    expect(taken).toMatchObject({ act_as_user_providers: [], rests_on: [] });
    expect(taken).not.toHaveProperty('act_as_user_by');
    expect(changed(named, { act_as_user_providers: [] }, admin)).toMatchObject({ act_as_user_providers: [] });
    expect(
      changeRoutine({ change: { act_as_user_providers: ['crm'] }, armed, caller: other, granting: granted }, at(named)),
    ).toEqual([]);
  });

  it('are none in a record that no person named them in', () => {
    expect(actingProviders({ ...routine(), act_as_user_providers: ['crm'] })).toEqual([]);
    expect(actingProviders({ ...routine(), act_as_user_providers: ['crm'], act_as_user_by: 'user_9' })).toEqual([]);
  });

  it('stop it when all of a provider, or the connection of its event, are gone', () => {
    const restsOn = [
      { connection_id: 'conn_e', provider: null },
      { connection_id: 'conn_1', provider: 'crm' },
    ];
    expect(isWithoutSource(restsOn, granted)).toBe(false);
    expect(isWithoutSource(restsOn, { ...granted, accounts: { crm: ['conn_9'] } })).toBe(false);
    expect(isWithoutSource(restsOn, { ...granted, accounts: { crm: [] } })).toBe(true);
    expect(isWithoutSource(restsOn, { ...granted, accounts: {} })).toBe(true);
    expect(isWithoutSource(restsOn, { ...granted, named: null })).toBe(true);
    expect(isWithoutSource([], { named: null, accounts: {} })).toBe(false);
  });
});

describe("a routine's life", () => {
  it('is made once, and is named by its instructions when nobody names it', () => {
    expect(createRoutine(routine(), { routine: null })).toHaveLength(1);
    expect(createRoutine(routine(), at())).toEqual([]);
    expect([nameFrom('Look\nat it'), nameFrom('x'.repeat(99)).length, nameFrom(' ')]).toEqual(['Look', 60, 'Routine']);
  });

  it('is named by whole characters of its instructions', () => {
    const beginning = `${'x'.repeat(58)}\u{1F600}`;
    expect(nameFrom(`${beginning}\u{1F600}`)).toBe(`${beginning}\u{1F600}`);
    expect(nameFrom(`${beginning}\u{1F600}\u{1F600}`)).toBe(`${beginning}…`);
  });

  it('pauses, resumes from now, and ends', () => {
    const armed = { now, next_fire_at: '2026-01-05T01:00:00.000Z' };
    expect(applied({}, (state) => pauseRoutine({ caller: team, now }, state))).toMatchObject({
      status: 'paused',
      pause_reason: null,
    });
    expect(pauseRoutine({ caller: team, now }, at({ status: 'paused' }))).toEqual([]);
    const resumed = applied({ status: 'paused', pause_reason: 'source_revoked' }, (state) =>
      resumeRoutine({ caller: team, armed, fault: null, granting }, state),
    );
    expect(resumed).toMatchObject({
      status: 'active',
      pause_reason: null,
      armed_at: now,
      next_fire_at: armed.next_fire_at,
    });
    expect(resumeRoutine({ caller: team, armed, fault: null, granting }, at())).toEqual([]);
    expect(
      applied({ status: 'paused' }, (state) =>
        resumeRoutine({ caller: team, armed, fault: 'source_revoked', granting }, state),
      ),
    ).toMatchObject({ status: 'paused', pause_reason: 'source_revoked' });
    expect(
      applied({ status: 'paused' }, (state) =>
        resumeRoutine({ caller: team, armed: { now, next_fire_at: null }, fault: null, granting }, state),
      ),
    ).toMatchObject({ status: 'completed', completed_at: now });
    expect(applied({}, (state) => cancelRoutine({ caller: team, now }, state))).toMatchObject({
      status: 'cancelled',
      next_fire_at: null,
    });
    expect(cancelRoutine({ caller: team, now }, at({ status: 'cancelled' }))).toEqual([]);
    expect(
      refusal(() =>
        changeRoutine({ change: { name: 'N' }, armed, caller: team, granting }, at({ status: 'cancelled' })),
      ),
    ).toBe('invalid_argument');
  });

  it('is armed anew by a new trigger only', () => {
    const armed = { now, next_fire_at: '2026-01-06T00:00:00.000Z' };
    const trigger = { schedule: { interval: '1d' }, event: null, timezone: 'UTC', source_bound: false };
    expect(
      applied({ status: 'completed', fired_count: 4 }, (state) =>
        changeRoutine({ change: { trigger }, armed, caller: team, granting }, state),
      ),
    ).toMatchObject({ status: 'active', armed_at: now, next_fire_at: armed.next_fire_at, fired_count: 0 });
    const renamed = changeRoutine({ change: { name: 'N' }, armed, caller: team, granting }, at());
    expect(renamed).toMatchObject([
      {
        data: {
          changed_fields: ['name'],
          routine: { armed_at: '2026-01-01T00:00:00.000Z', next_fire_at: '2026-01-01T01:00:00.000Z' },
        },
      },
    ]);
    expect(changeRoutine({ change: { name: 'R' }, armed, caller: team, granting }, at())).toEqual([]);
  });

  it('stays as it is when the same trigger comes with its members in another order', () => {
    const armed = { now, next_fire_at: '2026-01-06T00:00:00.000Z' };
    const schedule = { interval: '1h', max_occurrences: 2 };
    const again = {
      schedule: { max_occurrences: 2, interval: '1h' },
      event: null,
      timezone: 'UTC',
      source_bound: false,
    };
    const completed = at({ schedule, status: 'completed', fired_count: 2 });
    expect(changeRoutine({ change: { trigger: again }, armed, caller: team, granting }, completed)).toEqual([]);
  });

  it('is suspended as it was looked at, and not after a repair', () => {
    const seen = routine();
    expect(suspendRoutine({ reason: 'source_revoked', seen, now }, at())).toMatchObject([
      { data: { routine: { status: 'paused', pause_reason: 'source_revoked' } } },
    ]);
    expect(suspendRoutine({ reason: 'source_revoked', seen, now }, at({ updated_at: now }))).toEqual([]);
    expect(suspendRoutine({ reason: 'source_revoked', seen, now }, at({ status: 'paused' }))).toEqual([]);
  });

  it('a source is revoked when what was bound is taken away, or pinned elsewhere', () => {
    const trigger = { event_type: 'github.issue.*', integration_id: 'int_1' };
    expect([
      bindingOf(trigger, []),
      bindingOf(trigger, [{ provider: 'github' }]),
      bindingOf(trigger, [{ provider: 'github', pin: 'int_2' }]),
      bindingOf({ event_type: 'github.a' }, []),
    ]).toEqual(['none', 'bound', 'refused', 'none']);
    expect([
      isRevoked(trigger, true, []),
      isRevoked(trigger, false, []),
      isRevoked(trigger, false, [{ provider: 'github', pin: 'int_2' }]),
      isRevoked(trigger, true, [{ provider: 'github', pin: 'int_1' }]),
    ]).toEqual([true, false, true, false]);
  });
});

describe('a due time', () => {
  const firing: Firing = {
    standing: '2026-01-01T01:00:00.000Z',
    armedAt: '2026-01-01T00:00:00.000Z',
    dueAt: '2026-01-01T03:00:00.000Z',
    nextAt: '2026-01-01T04:00:00.000Z',
    now,
  };

  it('moves the timer on once', () => {
    const fired = applied({}, (state) => fireRoutine(firing, state));
    expect(fired).toMatchObject({
      next_fire_at: firing.nextAt,
      last_fire_at: firing.dueAt,
      fired_count: 1,
      status: 'active',
    });
    expect(fireRoutine(firing, { routine: fired })).toEqual([]);
  });

  it('leaves alone what was paused or armed anew meanwhile', () => {
    expect(fireRoutine(firing, at({ status: 'paused' }))).toEqual([]);
    expect(fireRoutine(firing, at({ armed_at: now }))).toEqual([]);
  });

  it('ends a routine whose times are over', () => {
    expect(applied({}, (state) => fireRoutine({ ...firing, nextAt: null }, state))).toMatchObject({
      status: 'completed',
      completed_at: now,
      next_fire_at: null,
    });
    expect(
      applied({ schedule: { interval: '1h', max_occurrences: 2 }, fired_count: 1 }, (state) =>
        fireRoutine(firing, state),
      ),
    ).toMatchObject({ status: 'completed', fired_count: 2 });
    expect(
      applied({ schedule: { interval: '1h', max_occurrences: 2 } }, (state) => fireRoutine(firing, state)),
    ).toMatchObject({ status: 'active' });
  });
});

describe('a roster', () => {
  const viewer = caller('user_5', ['svc.resource.view']);

  it('lets everybody who sees it follow and leave', () => {
    const added = addToRoster({ entry: entry('user_5', 'follower'), caller: viewer, now }, at());
    expect(added).toHaveLength(1);
    const roster = [entry('user_5', 'follower')];
    expect(addToRoster({ entry: entry('user_5', 'follower'), caller: viewer, now }, at({ roster }))).toEqual([]);
    expect(
      removeFromRoster({ principalId: 'user_5', relationship: null, caller: viewer, now }, at({ roster })),
    ).toMatchObject([{ data: { routine: { roster: [] } } }]);
  });

  it('is otherwise for those who build and may change it', () => {
    expect(refusal(() => addToRoster({ entry: entry('user_6', 'follower'), caller: viewer, now }, at()))).toBe(
      'permission_denied',
    );
    expect(refusal(() => addToRoster({ entry: entry('user_5', 'manager'), caller: viewer, now }, at()))).toBe(
      'permission_denied',
    );
    expect(
      refusal(() =>
        addToRoster({ entry: entry('user_5', 'manager'), caller: other, now }, at({ managed_by: 'named' })),
      ),
    ).toBe('permission_denied');
    expect(addToRoster({ entry: entry('user_6', 'manager'), caller: other, now }, at())).toHaveLength(1);
  });

  it('keeps somebody responsible, and says who is not there', () => {
    const roster = [entry('user_1', 'responsible')];
    expect(
      refusal(() =>
        removeFromRoster({ principalId: 'user_1', relationship: null, caller: admin, now }, at({ roster })),
      ),
    ).toBe('conflict');
    expect(
      removeFromRoster(
        { principalId: 'user_1', relationship: 'responsible', caller: admin, now },
        at({ roster: [...roster, entry('user_2', 'responsible')] }),
      ),
    ).toHaveLength(1);
    expect(
      refusal(() => removeFromRoster({ principalId: 'user_7', relationship: null, caller: admin, now }, at())),
    ).toBe('not_found');
  });
});

describe('a run', () => {
  const record: OccurrenceRecord = {
    id: 'occ_1',
    org_id: 'org_1',
    routine_id: 'rtn_1',
    routine_name: 'R',
    agent_id: 'agent_1',
    owner_id: null,
    trigger: 'event',
    triggered_by: null,
    scheduled_at: now,
    intake_at: now,
    source_event_id: 'evt_1',
    event_type: 'table.row.inserted',
    status: 'pending',
    error_code: null,
    error_message: null,
    instructions: 'Do',
    input: '{}',
    session_id: null,
    run_as: { id: 'svc_1', kind: 'service' },
    chain: [],
  };
  const state = (...events: OccurrenceEvent[]) => fold(occurrenceKind, events);
  const recorded: OccurrenceEvent = { type: 'OccurrenceRecorded', data: { occurrence: record } };
  const end = {
    session_id: 'ses_1',
    turn_id: 'turn_1',
    status: 'completed' as const,
    error_type: null,
    error_message: null,
    at: now,
  };

  it('is recorded once', () => {
    expect(recordOccurrence(record, state())).toEqual([recorded]);
    expect(recordOccurrence(record, state(recorded))).toEqual([]);
  });

  it('is begun once, and ends with its turn, also when its beginning was not told', () => {
    const [admitted] = admitOccurrence({ session_id: 'ses_1', turn_id: 'turn_1', at: now }, state(recorded));
    if (!admitted) throw new Error('it did not begin');
    expect(admitOccurrence({ session_id: 'ses_1', turn_id: 'turn_1', at: now }, state(recorded, admitted))).toEqual([]);
    expect(
      dropOccurrence({ status: 'failed', error_code: 'x', error_message: 'x', at: now }, state(recorded, admitted)),
    ).toEqual([]);
    expect(finishOccurrence(end, state(recorded, admitted))).toMatchObject([
      { type: 'OccurrenceFinished', data: { status: 'completed', outcome: 'completed' } },
    ]);
    expect(finishOccurrence({ ...end, status: 'cancelled' }, state(recorded)).map(({ type }) => type)).toEqual([
      'OccurrenceAdmitted',
      'OccurrenceFinished',
    ]);
    expect(finishOccurrence(end, state(recorded, ...finishOccurrence(end, state(recorded))))).toEqual([]);
    expect(
      finishOccurrence(
        end,
        state({ type: 'OccurrenceRecorded', data: { occurrence: { ...record, status: 'missed' } } }),
      ),
    ).toEqual([]);
  });
});
