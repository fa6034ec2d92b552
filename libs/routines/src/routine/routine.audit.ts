import { upcastRecorded } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import { routineEvents, type RoutineEvent } from './routine.events.js';

/**
 * The audit entries of routines: who made, changed, stopped and ended them (control S34). Runs are not changes.
 */
export const routineAudit: AuditMapping = {
  prefix: 'routine-',
  facts(event): AuditFact[] {
    const { type, data } = upcastRecorded(routineEvents, event) as RoutineEvent;
    if (type === 'RoutineFired') return [];
    const { routine } = data;
    const resource = { type: 'routine', id: routine.id, name: routine.name };
    const after = routine;
    switch (type) {
      case 'RoutineCreated':
        return [{ action: 'routine.created', resource, after }];
      case 'RoutineChanged':
        return [{ action: 'routine.updated', resource, changedFields: data.changed_fields, after }];
      case 'RoutinePaused':
        return [{ action: 'routine.paused', resource, changedFields: ['status'], after }];
      case 'RoutineResumed':
        return [{ action: 'routine.resumed', resource, changedFields: ['status'], after }];
      case 'RosterChanged':
        return [{ action: 'routine.roster_changed', resource, changedFields: ['roster'], after }];
      default:
        return [{ action: 'routine.cancelled', resource, changedFields: ['status'], after }];
    }
  },
};
