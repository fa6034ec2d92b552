import { expectGoldenStates, goldenEvents } from '@aos/kernel/testing';
import { expectComplete, foldGolden, goldenHistory } from '../testing/golden.fixture.js';
import { memoryKind } from './memory.state.js';

const events = goldenEvents(__dirname);

describe('recorded events of memory', () => {
  it('are all kept', () => {
    expectComplete(memoryKind, events);
  });

  it.each(events)('reads $file as the state it left', (event) => {
    const { entry, delivery_id: id } = event.data;
    const state = foldGolden(memoryKind, event);
    expect(state.entry).toEqual('wire' in ((entry ?? {}) as object) ? entry : null);
    expect(state.deliveries.map((one) => one.id)).toEqual(id === null ? [] : [id]);
  });

  it('fold to the states that snapshots of this version hold', () => {
    const history = goldenHistory(
      memoryKind,
      events,
      'MemoryEntryCreated',
      'MemoryEntryUpdated',
      'MemoryDeliveryNoted',
      'MemoryEntryDeleted',
    );
    expectGoldenStates(__dirname, memoryKind, history);
  });
});
