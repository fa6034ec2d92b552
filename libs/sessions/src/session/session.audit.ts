import { declarationOf, upcast } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import { sessionEvents, type SessionEvent } from './session.events.js';

type DataOf<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>['data'];
type Facts = { readonly [T in SessionEvent['type']]?: (data: DataOf<T>, session: AuditFact['resource']) => AuditFact };

const facts: Facts = {
  SessionArchived: (_data, session) => ({ action: 'session.archived', resource: session, changedFields: ['status'] }),
  SessionReactivated: (_data, session) => ({
    action: 'session.reactivated',
    resource: session,
    changedFields: ['status'],
  }),
  CustodyChanged: ({ owner, visibility }, session) => ({
    action: 'session.custody_changed',
    resource: session,
    changedFields: ['owner', 'visibility'],
    after: { owner, visibility },
  }),
  SessionDeleted: (_data, session) => ({ action: 'session.deleted', resource: session, after: null }),
  TurnCancelled: ({ turn }) => ({
    action: 'turn.cancelled',
    resource: { type: 'turn', id: turn.id, name: null },
    changedFields: ['status'],
  }),
  NudgeCancelled: ({ nudge }) => ({
    action: 'nudge.cancelled',
    resource: { type: 'nudge', id: nudge.id, name: null },
    changedFields: ['status'],
  }),
};

/**
 * The cancels and deletes in sessions, for auditors (control S34). The messages themselves are in the transcript.
 */
export const sessionAudit: AuditMapping = {
  prefix: 'session-',
  facts(event): AuditFact[] {
    const version = Number(event.meta.schema_version ?? '1');
    declarationOf(sessionEvents, event.type, version);
    const fact = facts[event.type as SessionEvent['type']] as
      ((data: unknown, session: AuditFact['resource']) => AuditFact) | undefined;
    if (!fact) return []; // most events: their data is not asked for
    const { data } = upcast(sessionEvents, event.type, event.data, version);
    return [fact(data, { type: 'session', id: event.stream.slice('session-'.length), name: null })];
  },
};
