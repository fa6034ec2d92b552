import { UnknownEvent, type RecordedEvent } from '@aos/kernel';
import { sessionAudit } from './session.audit.js';

const recorded = (type: string, data: object): RecordedEvent => ({
  id: 'e',
  type,
  stream: 'session-ses_01abc',
  revision: 4,
  position: '5',
  data: data as RecordedEvent['data'],
  meta: { schema_version: '1' },
});

describe('what auditors are told of sessions', () => {
  it.each([
    ['SessionDeleted', { at: 'x' }, 'session.deleted', 'ses_01abc'],
    ['SessionArchived', { at: 'x' }, 'session.archived', 'ses_01abc'],
    [
      'CustodyChanged',
      { owner: { kind: 'team', id: null }, visibility: 'organization', change_id: null, at: 'x' },
      'session.custody_changed',
      'ses_01abc',
    ],
    ['TurnCancelled', { turn: { id: 'turn_1' }, reason: 'user' }, 'turn.cancelled', 'turn_1'],
    ['NudgeCancelled', { nudge: { id: 'nudge_1' } }, 'nudge.cancelled', 'nudge_1'],
  ])('%s', (type, data, action, id) => {
    expect(sessionAudit.facts(recorded(type, data), null)).toMatchObject([{ action, resource: { id } }]);
  });

  it('nothing of what is said', () => {
    expect(sessionAudit.facts(recorded('MessageAppended', { row: {} }), null)).toEqual([]);
  });

  it('stops at what this code does not know, rather than pass over it', () => {
    expect(() => sessionAudit.facts(recorded('SessionBurnt', {}), null)).toThrow(UnknownEvent);
    expect(() =>
      sessionAudit.facts({ ...recorded('MessageAppended', {}), meta: { schema_version: '99' } }, null),
    ).toThrow(UnknownEvent);
  });
});
