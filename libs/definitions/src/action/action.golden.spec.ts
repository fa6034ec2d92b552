import { expectComplete, foldGolden, goldenEvents } from '../testing/golden.fixture.js';
import { actionKind } from './action.state.js';

const events = goldenEvents(__dirname);

describe('recorded events of actions', () => {
  it('are all kept', () => {
    expectComplete(actionKind, events);
  });

  it.each(events)('reads $file as the state it left', (event) => {
    expect(foldGolden(actionKind, event)).toEqual({ record: event.data.record });
  });
});
