import { goldenEvents } from '@aos/kernel/testing';
import { expectComplete, foldGolden } from '../testing/golden.fixture.js';
import { nameKind, refKind } from './names.state.js';

const events = goldenEvents(__dirname);

describe('recorded claims', () => {
  it('are all kept', () => {
    expectComplete(nameKind, events);
    expectComplete(refKind, events);
  });

  it.each(events)('reads $file', (event) => {
    const state = event.type.startsWith('Name') ? foldGolden(nameKind, event) : foldGolden(refKind, event);
    expect(state).toEqual({ held: event.type.endsWith('Claimed') ? event.data : null });
  });
});
