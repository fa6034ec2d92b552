import type { ModelEvent, ModelStream } from './ports/index.js';

/**
 * Gives each event of an answer to `take`, without a wait for those that are there already: a wait costs several
 * promises for each token. Ends with what `take` gives first; null when the answer ends before.
 */
export async function takeEvents<T>(stream: ModelStream, take: (event: ModelEvent) => T | null): Promise<T | null> {
  const events = stream[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      let event = events.ready?.() ?? null;
      if (!event) {
        isOver = true; // a stream that rejects or ends is not closed
        const result = await events.next();
        if (result.done) return null;
        isOver = false;
        event = result.value;
      }
      const taken = take(event);
      if (taken !== null) return taken;
    }
  } finally {
    if (!isOver) await events.return?.();
  }
}
