import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Transcript, type Frame, type Snapshot } from '../harness/index.js';

interface Vector {
  name: string;
  steps: Step[];
  state: object;
}
type Step = { frame?: { id?: string; data: Frame['data'] }; page?: Snapshot; is_last?: boolean };

const vectors = JSON.parse(readFileSync(join(__dirname, '../golden/transcript-fold.json'), 'utf8')) as Vector[];

describe('the fold of the black-box suites', () => {
  it.each(vectors.map(({ name, steps, state }) => [name, steps, state] as const))('%s', (_name, steps, state) => {
    const fold = new Transcript();
    for (const { frame, page, is_last } of steps)
      if (page) fold.applyPage(page, is_last === true);
      else if (frame) fold.apply({ id: frame.id ?? null, event: frame.data.event_type, data: frame.data });
    expect({
      messages: Object.fromEntries(fold.messages),
      turns: Object.fromEntries(fold.turns),
      interactions: Object.fromEntries(fold.interactions),
      cursor: fold.cursor,
    }).toEqual(state);
  });
});
