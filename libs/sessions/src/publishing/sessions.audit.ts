import { upcast, type RecordedEvent } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import { sessionEvents, type SessionEvent } from '../session/session.events.js';

/** What was taken back or thrown away in sessions, for auditors: cancels and deletes (security S34). What was said stands in the transcript. */
export const sessionAudit: AuditMapping = {
  prefix: 'session-',
  facts(event): AuditFact[] {
    const { type, data } = upcast(sessionEvents, event.type, event.data, Number(event.meta.schema_version ?? '1')) as SessionEvent;
    switch (type) {
      case 'SessionArchived': return [{ action: 'session.archived', resource: sessionOf(event), changedFields: ['status'] }];
      case 'SessionReactivated': return [{ action: 'session.reactivated', resource: sessionOf(event), changedFields: ['status'] }];
      case 'SessionDeleted': return [{ action: 'session.deleted', resource: sessionOf(event), after: null }];
      case 'TurnCancelled': return [{ action: 'turn.cancelled', resource: { type: 'turn', id: data.turn.id, name: null }, changedFields: ['status'] }];
      case 'NudgeCancelled': return [{ action: 'nudge.cancelled', resource: { type: 'nudge', id: data.nudge.id, name: null }, changedFields: ['status'] }];
      default: return [];
    }
  },
};

function sessionOf({ stream }: RecordedEvent): AuditFact['resource'] {
  return { type: 'session', id: `ses_${stream.slice('session-'.length)}`, name: null };
}
