import { createBody, draftOf, newDraft, updateBody, type Routine } from './routine-draft';

const routine = {
  id: 'rtn_1',
  agent_id: 'agent_1',
  name: 'report',
  instructions: 'Sum up.',
  trigger: 'schedule',
  schedule: { cron: '0 7 * * *', timezone: 'Europe/Berlin', ends_at: '2027-01-01T00:00:30.000Z' },
  timezone: 'Europe/Berlin',
  owner_kind: 'team',
  managed_by: 'team',
  per_occurrence_ceiling_milli: 1500,
  daily_ceiling_milli: 5000,
} as unknown as Routine;

describe('the form of a routine', () => {
  it('sends nothing of what was not changed', () => {
    expect(updateBody(draftOf(routine), routine)).toEqual({});
  });

  it('sends the fields that were changed, the trigger whole', () => {
    const draft = { ...draftOf(routine), cron: '0 8 * * *', perRun: '0.25' };
    expect(updateBody(draft, routine)).toEqual({
      schedule: { cron: '0 8 * * *', timezone: 'Europe/Berlin', ends_at: '2027-01-01T00:00:30.000Z' },
      per_occurrence_ceiling_milli: 250,
    });
  });

  it('changes from a schedule to an event', () => {
    const draft = { ...draftOf(routine), trigger: 'event' as const, eventType: ' email.received ', condition: ' ' };
    expect(updateBody(draft, routine)).toEqual({ event: { event_type: 'email.received' } });
  });

  it('makes a routine of one kind of trigger, without what was left empty', () => {
    const draft = { ...newDraft('agent_1'), instructions: 'Go.', trigger: 'interval' as const, timezone: 'UTC' };
    expect(createBody(draft)).toEqual({
      agent_id: 'agent_1',
      instructions: 'Go.',
      schedule: { interval: '24h', timezone: 'UTC' },
      per_occurrence_ceiling_milli: 1000,
      daily_ceiling_milli: 5000,
      owner_kind: 'team',
      managed_by: 'team',
    });
  });

  it('takes a time in the zone of its reader', () => {
    const draft = { ...newDraft('agent_1'), trigger: 'at' as const, at: '2027-03-01T10:00' };
    expect(createBody(draft).schedule?.at).toBe(new Date('2027-03-01T10:00').toISOString());
  });
});
