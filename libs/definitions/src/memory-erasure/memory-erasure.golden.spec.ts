import { goldenEvents } from '@aos/kernel/testing';
import { expectComplete, foldGolden } from '../testing/golden.fixture.js';
import { memoryErasureKind } from './memory-erasure.state.js';

const events = goldenEvents(__dirname);

describe('recorded erasures of memory', () => {
  it('are all kept', () => {
    expectComplete(memoryErasureKind, events);
  });

  it.each(events)('reads $file', (event) => {
    expect(foldGolden(memoryErasureKind, event)).toEqual({ erasures: 1 });
  });
});
