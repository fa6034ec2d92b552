import { expectGoldenStates, goldenEvents } from '@aos/kernel/testing';
import { expectComplete, foldGolden, goldenHistory } from '../testing/golden.fixture.js';
import { tableKind } from './table.state.js';

const events = goldenEvents(__dirname);

describe('recorded events of tables', () => {
  it('are all kept', () => {
    expectComplete(tableKind, events);
  });

  it.each(events)('reads $file as the state it left', (event) => {
    expect(foldGolden(tableKind, event)).toEqual({ record: event.data.record });
  });

  it('fold to the states that snapshots of this version hold', () => {
    const history = goldenHistory(
      tableKind,
      events,
      'TableCreated',
      'TableConfigured',
      'BindingAttached',
      'ProtectionSet',
      'BindingDetached',
      'TableDeleted',
      'TableEmptied',
    );
    expectGoldenStates(__dirname, tableKind, history);
  });
});
