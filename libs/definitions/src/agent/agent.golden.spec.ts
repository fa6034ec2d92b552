import { expectComplete, foldGolden, goldenEvents } from '../testing/golden.fixture.js';
import { agentKind } from './agent.state.js';

const events = goldenEvents(__dirname);

describe('recorded events of agents', () => {
  it('are all kept', () => {
    expectComplete(agentKind, events);
  });

  it.each(events)('reads $file as the state it left', (event) => {
    expect(foldGolden(agentKind, event)).toEqual({ record: event.data.record });
  });
});
