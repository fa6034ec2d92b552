import { ModelFailure, type ModelEvent } from '@aos/kernel';
import { AnswerBound, answerSizeMax } from './answer-bound.js';

const half = 'x'.repeat(answerSizeMax / 2);
const text = (index: number, said: string): ModelEvent[] => [
  { type: 'block_start', index, block: { type: 'text' } },
  { type: 'text_delta', index, text: said },
  { type: 'block_stop', index, block: { type: 'text', text: said } },
];
const call = (index: number, q: string): ModelEvent[] => [
  { type: 'block_start', index, block: { type: 'tool_use', id: `t${index}`, name: 'find' } },
  { type: 'block_stop', index, block: { type: 'tool_use', id: `t${index}`, name: 'find', input: { q } } },
];
const taken = (events: ModelEvent[]) => {
  const bound = new AnswerBound();
  let count = 0;
  for (const event of events) {
    try {
      bound.take(event);
    } catch (error) {
      if (!(error instanceof ModelFailure) || error.retryable) throw error;
      return count;
    }
    count += 1;
  }
  return null;
};

describe('L23: an answer of a model', () => {
  it('ends where its texts and inputs are over 8 Mi characters, before a block ends', () => {
    expect(taken([...text(0, half), ...call(1, 'small')])).toBeNull();
    expect(taken([...text(0, half), ...text(1, half)])).toBe(4);
    expect(taken([...text(0, half), ...call(1, half)])).toBe(4);
    const pieces: ModelEvent[] = Array.from({ length: 3 }, () => ({
      type: 'thinking_delta',
      index: 0,
      thinking: half,
    }));
    expect(taken(pieces)).toBe(2);
  });

  it('has no end of small blocks', () => {
    const calls = Array.from({ length: 20_000 }, (_none, index) => call(index, '')).flat();
    expect(taken(calls)).toBeLessThan(5_000);
    expect(taken(calls.slice(0, 2_000))).toBeNull();
  });
});
