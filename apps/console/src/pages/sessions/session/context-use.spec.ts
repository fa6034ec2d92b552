import { contextUse } from './context-use';

describe('the use of the model window', () => {
  it('is that of a call of the newest turn that completed', () => {
    const turns = [
      { id: 'turn_2', usage: { input_tokens: 100, cache_read_input_tokens: 300, output_tokens: 9, calls: 2 } },
      { id: 'turn_1', usage: { input_tokens: 9000, calls: 1 } },
      { id: 'turn_3' },
    ];
    expect(contextUse({ compaction: { in_progress: false, threshold_tokens: 800 } }, turns, 1000)).toEqual({
      perCall: 200,
      window: 1000,
      threshold: 800,
      share: 0.2,
    });
  });

  it('is not known before a turn has completed, and of a model that the catalog lacks', () => {
    expect(contextUse({}, [], 1000)).toEqual({ perCall: null, window: 1000, threshold: null, share: null });
    const turns = [{ id: 'turn_1', usage: { input_tokens: 5, calls: 1 } }];
    expect(contextUse({}, turns, null)).toMatchObject({ perCall: 5, share: null });
  });
});
