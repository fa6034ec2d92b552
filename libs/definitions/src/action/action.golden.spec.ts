import { expectGoldenStates, goldenEvents } from '@aos/kernel/testing';
import { expectComplete, foldGolden, goldenHistory } from '../testing/golden.fixture.js';
import { actionKind } from './action.state.js';

const events = goldenEvents(__dirname);

describe('recorded events of actions', () => {
  it('are all kept', () => {
    expectComplete(actionKind, events);
  });

  it.each(events)('reads $file as the state it left', (event) => {
    expect(foldGolden(actionKind, event)).toEqual({ record: event.data.record });
  });

  it('fold to the states that snapshots of this version hold', () => {
    const history = goldenHistory(
      actionKind,
      events,
      'ActionCreated',
      'ActionConfigured',
      'BindingAttached',
      'ActionSecretRotated',
      'ActionSecretResealed',
      'ProtectionSet',
      'BindingDetached',
      'ActionDeleted',
    );
    expectGoldenStates(__dirname, actionKind, history);
  });
});
