import { impliedPermissions } from '@aos/kernel';
import { expectGoldenStates, goldenOf } from '@aos/kernel/testing';
import { firingProjection, routinesProjection } from './routine.projection.js';
import { listens, routineKind } from './routine.state.js';
import { routineWire } from './routine.wire.js';
import { permissionsOf } from './run-as.decide.js';

const golden = goldenOf(__dirname, routineKind);
const reader = { readerId: 'svc_1', occurrenceCount: 3, lastFireAt: null };

describe('recorded events of routines', () => {
  it('are all kept, at every version', () => {
    expect(golden.missing).toEqual([]);
  });

  it('say what they meant', () => {
    const read = (...types: Parameters<typeof golden.after>) => golden.after(...types).routine;
    expect(read('RoutineCreated')).toMatchObject({ status: 'active', name: 'Daily look', fired_count: 0 });
    const changed = read('RoutineCreated', 'RoutineChanged');
    expect([changed?.event?.event_type, changed && listens(changed)]).toEqual(['github.issue.opened', true]);
    expect(read('RoutineCreated', 'RoutinePaused')).toMatchObject({ status: 'paused', pause_reason: 'source_revoked' });
    expect(read('RoutineCreated', 'RoutinePaused', 'RoutineResumed')).toMatchObject({
      status: 'active',
      armed_at: '2026-01-02T00:00:00.000Z',
    });
    expect(read('RoutineCreated', 'RoutineCancelled')).toMatchObject({ status: 'cancelled', next_fire_at: null });
    expect(read('RoutineCreated', 'RoutineFired')).toMatchObject({
      fired_count: 1,
      last_fire_at: '2026-01-01T08:00:00.000Z',
      next_fire_at: '2026-01-02T08:00:00.000Z',
      status: 'active',
    });
    expect(read('RoutineCreated', 'RosterChanged')?.roster).toHaveLength(2);
  });

  it('fold to the states that snapshots of this version hold', () => {
    const firing = ['RoutineCreated', 'RoutineChanged', 'RoutineFired', 'RosterChanged'] as const;
    const ending = ['RoutinePaused', 'RoutineResumed', 'RoutineCancelled'] as const;
    const history = [...firing, ...ending].map((type) => [golden.recorded(type)]);
    expectGoldenStates(__dirname, routineKind, history);
  });

  it("are shown in the contract's names, without what is not set", () => {
    const { routine } = golden.after('RoutineCreated', 'RosterChanged');
    if (!routine) throw new Error('nothing was folded');
    const wire = routineWire(routine, reader);
    expect(wire).toMatchObject({
      trigger: 'schedule',
      owner_id: 'user_1',
      following: true,
      follower_count: 1,
      occurrence_count: 3,
      kind: 'invoke',
      responsible: [{ principal_id: 'user_1' }],
    });
    for (const absent of [
      'event',
      'pause_reason',
      'completed_at',
      'last_fire_at',
      'origin_session_id',
      'run_as',
      'roster',
    ])
      expect(wire).not.toHaveProperty(absent);
  });

  it('rule A36: run as their author with a key without cap, and never with administration', () => {
    const { routine } = golden.after('RoutineCreated', 'RoutineChanged');
    if (!routine) throw new Error('nothing was folded');
    expect([routine.run_as.id, routine.created_by]).toEqual(['user_1', 'user_1']);
    const held = impliedPermissions(['svc.org.admin', 'svc.billing.view']);
    const whatever = permissionsOf({ ...routine.run_as }, held);
    expect([...whatever].sort()).toEqual([
      'svc.billing.view',
      'svc.resource.build',
      'svc.resource.use',
      'svc.resource.view',
    ]);
    expect(permissionsOf(routine.run_as, new Set())).toEqual(new Set());
  });

  it('stand in the lists, and on the timer while active', () => {
    const rows = (...types: Parameters<typeof golden.after>) => {
      const projected = { state: golden.after(...types), id: 'rtn_00000000000000000000000001', revision: 1 };
      return { row: routinesProjection.rows(projected)[0], timer: firingProjection.rows(projected)[0] };
    };
    expect(rows('RoutineCreated').timer?.doc).toMatchObject({
      handler: 'routine_fire',
      at: Date.parse('2026-01-01T08:00:00.000Z'),
    });
    expect(rows('RoutineCreated', 'RoutinePaused').timer?.doc).toBeNull();
    expect(rows('RoutineCreated').row?.index).not.toHaveProperty('listens');
    expect(rows('RoutineCreated', 'RoutineChanged').row?.index).toMatchObject({
      listens: 'yes',
      standing: 'yes',
      owner: 'user_1',
    });
    expect(rows('RoutineCreated', 'RoutineCancelled').row?.index).toMatchObject({ standing: 'no' });
  });
});
