import { goldenOf } from '@aos/kernel/testing';
import { occurrencesProjection, startsProjection } from './occurrence.projection.js';
import { occurrenceId, occurrenceKind } from './occurrence.state.js';
import { occurrenceWire } from './occurrence.wire.js';

const golden = goldenOf(__dirname, occurrenceKind);

describe('recorded events of runs', () => {
  it('are all kept, at every version', () => {
    expect(golden.missing).toEqual([]);
  });

  it('say what they meant', () => {
    expect(occurrenceWire(golden.after('OccurrenceRecorded'))).toMatchObject({
      status: 'pending',
      lateness_milliseconds: 250,
      source_event_id: 'evt_1',
      credits_spent_milli: 0,
    });
    expect(occurrenceWire(golden.after('OccurrenceRecorded', 'OccurrenceAdmitted'))).toMatchObject({
      status: 'admitted',
      session_id: 'ses_1',
      turn_id: 'turn_1',
    });
    expect(occurrenceWire(golden.after('OccurrenceRecorded', 'OccurrenceDropped'))).toMatchObject({
      status: 'failed',
      error_code: 'agent_inactive',
    });
    const ended = occurrenceWire(golden.after('OccurrenceRecorded', 'OccurrenceAdmitted', 'OccurrenceFinished'));
    expect(ended).toMatchObject({ status: 'failed', outcome: 'cancelled', turn_id: 'turn_1' });
    for (const inside of ['chain', 'input', 'instructions', 'run_as', 'triggered_by'])
      expect(ended).not.toHaveProperty(inside);
  });

  it('stand in the lists, and on the timer until they are begun', () => {
    const rows = (...types: Parameters<typeof golden.after>) => {
      const projected = { state: golden.after(...types), id: 'occ_00000000000000000000000001', revision: 1 };
      return {
        index: occurrencesProjection.rows(projected)[0]?.index,
        timer: startsProjection.rows(projected)[0]?.doc,
      };
    };
    expect(rows('OccurrenceRecorded').timer).toMatchObject({ handler: 'occurrence_start' });
    expect(rows('OccurrenceRecorded', 'OccurrenceAdmitted').timer).toBeNull();
    expect(rows('OccurrenceRecorded', 'OccurrenceAdmitted').index).toMatchObject({
      open: expect.any(String) as string,
      fired: expect.any(String) as string,
      matched: expect.any(String) as string,
    });
    expect(rows('OccurrenceRecorded', 'OccurrenceAdmitted', 'OccurrenceFinished').index).not.toHaveProperty('open');
  });

  it('one cause of one routine has one id', () => {
    const ids = [
      occurrenceId('org_1', 'rtn_1', { event: 'evt_1' }),
      occurrenceId('org_1', 'rtn_1', { event: 'evt_2' }),
      occurrenceId('org_1', 'rtn_2', { event: 'evt_1' }),
      occurrenceId('org_2', 'rtn_1', { event: 'evt_1' }),
      occurrenceId('org_1', 'rtn_1', { due: 'evt_1' }),
      occurrenceId('org_1', 'rtn_1', { manual: 'evt_1' }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(occurrenceId('org_1', 'rtn_1', { event: 'evt_1' })).toBe(ids[0]);
  });
});
