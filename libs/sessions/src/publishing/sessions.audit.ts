import { upcast } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import { sessionEvents, type SessionEvent } from '../session/session.events.js';

/** What was taken back or thrown away in sessions, for auditors: cancels and deletes (security S34). What was said stands in the transcript. */
export const sessionAudit: AuditMapping = {
  prefix: 'session-',
  facts(event): AuditFact[] {
    const { type, data } = upcast(sessionEvents, event.type, event.data, Number(event.meta.schema_version ?? '1')) as SessionEvent;
    const session = { type: 'session', id: `ses_${event.stream.slice('session-'.length)}`, name: null };
    switch (type) {
      case 'SessionArchived': return [{ action: 'session.archived', resource: session, changedFields: ['status'] }];
      case 'SessionReactivated': return [{ action: 'session.reactivated', resource: session, changedFields: ['status'] }];
      case 'SessionDeleted': return [{ action: 'session.deleted', resource: session, after: null }];
      case 'TurnCancelled': return [{ action: 'turn.cancelled', resource: { type: 'turn', id: data.turn.id, name: null }, changedFields: ['status'] }];
      case 'NudgeCancelled': return [{ action: 'nudge.cancelled', resource: { type: 'nudge', id: data.nudge.id, name: null }, changedFields: ['status'] }];
      default: return [];
    }
  },
};
