import {
  Stop,
  StoreUnavailable,
  type Clock,
  type EventStore,
  type EventSubscription,
  type RecordedEvent,
} from '@aos/kernel';

/**
 * What became of one stream's secrets: under the active master key already, sealed anew, or under a key that is gone.
 */
export type Resealed = 'fresh' | 'resealed' | 'unreadable';

export type ResealAnswer = {
  /** Streams that were looked at. */
  checked: number;
  resealed: number;
  unreadable: number;
  /** Ids of the first that could not be opened. */
  unreadable_ids: string[];
  /** Where the next ask goes on; null at the end of the log. */
  next: string | null;
};

const streamsMax = 500;
const withinMs = 3_000;
const idsMax = 20;

/**
 * Goes through the streams of a category in the order of the log, and has the secrets of each sealed anew where that is
 * due.
 *
 * Takes    where an earlier answer stopped, or null; what to do with one id: done twice it is the same as once.
 * Gives    an answer after so many streams or so long; nothing is kept between two asks, so a fall in between costs
 *          nothing.
 * Refuses  what the store or `reseal` throws.
 */
export async function resealStreams(
  { store, clock }: { store: EventStore; clock: Clock },
  category: string,
  after: string | null,
  reseal: (id: string) => Promise<Resealed>,
): Promise<ResealAnswer> {
  const answer: ResealAnswer = { checked: 0, resealed: 0, unreadable: 0, unreadable_ids: [], next: null };
  const seen = new Set<string>();
  const startedAt = clock.monotonic();
  let isOver = false;
  const look = async (event: RecordedEvent): Promise<void> => {
    const id = event.stream.slice(category.length + 1);
    if (seen.has(id)) return;
    seen.add(id);
    const outcome = await reseal(id);
    answer.checked += 1;
    if (outcome === 'resealed') answer.resealed += 1;
    if (outcome !== 'unreadable') return;
    answer.unreadable += 1;
    if (answer.unreadable_ids.length < idsMax) answer.unreadable_ids.push(id);
  };
  let subscription: EventSubscription | null = null;
  try {
    await new Promise<void>((resolve, reject) => {
      const end = (error?: Error) => {
        isOver = true;
        if (error) reject(error);
        else resolve();
      };
      const broken = (cause: unknown) => {
        end(new StoreUnavailable('the log broke off', { cause }));
      };
      const handler = async (events: RecordedEvent[]): Promise<void> => {
        for (const event of events) {
          if (isOver) return;
          await look(event);
          answer.next = event.position;
          if (answer.checked >= streamsMax || clock.monotonic() - startedAt >= withinMs) end();
        }
      };
      const caughtUp = () => {
        if (isOver) return;
        answer.next = null;
        end();
      };
      const stopping = (events: RecordedEvent[]) =>
        handler(events).catch((error: unknown) => {
          end(error instanceof Error ? error : new Error(String(error)));
          throw new Stop('resealing failed', { cause: error });
        });
      subscription = store.subscribe(
        {
          name: `reseal:${category}`,
          prefixes: [`${category}-`],
          from: after ?? 'start',
          onCaughtUp: caughtUp,
          onTrouble: broken,
        },
        stopping,
      );
      subscription.ended.catch(() => undefined); // reported already
    });
  } finally {
    await (subscription as EventSubscription | null)?.close();
  }
  return answer;
}
