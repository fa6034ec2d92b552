import { expectComplete, foldGolden, goldenEvents } from '../testing/golden.fixture.js';
import { tableKind } from './table.state.js';

const events = goldenEvents(__dirname);

describe('recorded events of tables', () => {
  it('are all kept', () => {
    expectComplete(tableKind, events);
  });

  it.each(events)('reads $file as the state it left', (event) => {
    expect(foldGolden(tableKind, event)).toEqual({ record: event.data.record });
  });
});
