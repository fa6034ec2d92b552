import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TranscriptFold, type Snapshot } from './transcript-fold.js';
import type { TranscriptFrame } from './wire.js';

interface Vector {
  name: string;
  steps: ({ frame: TranscriptFrame } | { page: Snapshot; is_last: boolean })[];
  state: { messages: object; turns: object; interactions: object };
}

/** The vectors that every fold of a transcript in this repository is held to. */
const vectors = JSON.parse(
  readFileSync(join(__dirname, '../../../tests/golden/transcript-fold.json'), 'utf8'),
) as Vector[];

function folded(steps: Vector['steps']): TranscriptFold {
  const fold = new TranscriptFold();
  for (const step of steps)
    if ('page' in step) fold.applyPage(step.page, step.is_last);
    else fold.apply(step.frame);
  return fold;
}

describe('the fold of a transcript', () => {
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_name, { steps, state }) => {
    const { messages, turns, interactions } = folded(steps);
    expect({
      messages: Object.fromEntries(messages),
      turns: Object.fromEntries(turns),
      interactions: Object.fromEntries(interactions),
    }).toEqual({ messages: state.messages, turns: state.turns, interactions: state.interactions });
  });

  it('gives a changed row as a new object and leaves the others as they are', () => {
    const [grows] = vectors.filter(({ name }) => name.startsWith('a streaming row grows'));
    const steps = grows?.steps ?? [];
    const fold = folded(steps.slice(0, -1));
    const before = fold.messages.get('msg_2');
    const [, text] = before?.content ?? [];
    const last = steps.at(-1);
    if (last && 'frame' in last) fold.apply(last.frame);
    const after = fold.messages.get('msg_2');
    expect(after).not.toBe(before);
    expect(after?.content[1]).toBe(text);
    expect(after?.content[0]).not.toBe(before?.content[0]);
  });

  it('orders rows by sequence, with those that are still streaming behind', () => {
    const row = (id: string, sequence: number | null, turn_index: number) => ({
      data: { event_type: 'message.upsert', id, sequence, turn_index, status: 'final', content: [] },
    });
    const fold = new TranscriptFold();
    for (const one of [row('c', null, 2), row('b', 2, 0), row('d', null, 3), row('a', 1, 0)]) fold.apply(one as never);
    expect(fold.ordered().map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });
});
