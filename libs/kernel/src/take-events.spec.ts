import type { ModelEvent, ModelStream } from './ports/index.js';
import { takeEvents } from './take-events.js';

const delta = (text: string): ModelEvent => ({ type: 'text_delta', index: 0, text });

/** Events of which those in `ready` are there at once; counts what is asked of it. */
class Events implements ModelStream {
  asked = 0;
  closed = 0;
  private at = 0;

  constructor(
    private readonly events: readonly (ModelEvent | Error)[],
    private readonly isReady: (at: number) => boolean,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  ready(): ModelEvent | null {
    const event = this.events[this.at];
    if (!event || !this.isReady(this.at)) return null;
    this.at += 1;
    if (event instanceof Error) throw event;
    return event;
  }

  async next(): Promise<IteratorResult<ModelEvent>> {
    this.asked += 1;
    await Promise.resolve();
    const value = this.events[this.at++];
    if (value instanceof Error) throw value;
    return value ? { done: false, value } : { done: true, value: undefined };
  }

  async return(): Promise<IteratorResult<ModelEvent>> {
    this.closed += 1;
    return Promise.resolve({ done: true, value: undefined });
  }
}

const abc = [delta('a'), delta('b'), delta('c')];
const textOf = (event: ModelEvent) => (event.type === 'text_delta' ? event.text : '');

it.each([
  ['none', () => false, 4],
  ['each', () => true, 1],
  ['every other', (at: number) => at % 2 === 0, 2],
])('gives all events in order when %s is ready', async (_name, isReady, asked) => {
  const events = new Events(abc, isReady);
  const texts: string[] = [];
  expect(
    await takeEvents(events, (event) => {
      texts.push(textOf(event));
      return null;
    }),
  ).toBeNull();
  expect([texts.join(''), events.asked, events.closed]).toEqual(['abc', asked, 0]);
});

it.each([true, false])('ends with what is taken first, and closes the stream (ready: %s)', async (isReady) => {
  const events = new Events(abc, () => isReady);
  expect(await takeEvents(events, (event) => (textOf(event) === 'b' ? 'found' : null))).toBe('found');
  expect(events.closed).toBe(1);
});

it('closes the stream when an event is refused', async () => {
  const events = new Events(abc, () => true);
  const refuse = () => {
    throw new Error('refused');
  };
  await expect(takeEvents(events, refuse)).rejects.toThrow('refused');
  expect(events.closed).toBe(1);
});

it.each([true, false])('rejects as the stream does (ready: %s)', async (isReady) => {
  const events = new Events([delta('a'), new Error('broken')], () => isReady);
  await expect(takeEvents(events, () => null)).rejects.toThrow('broken');
});
