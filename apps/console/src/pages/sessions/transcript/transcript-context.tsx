import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { KeyedStore } from './keyed-store';
import type { FeedState, SessionFeed } from './session-feed';
import type { Item } from './transcript-items';

export interface Watched {
  feed: SessionFeed;
  sessionId: string;
}

export const TranscriptContext = createContext<Watched | null>(null);

/** The transcript that the page shows. */
export function useTranscript(): Watched {
  const watched = useContext(TranscriptContext);
  if (watched === null) throw new Error('a part of a transcript is shown outside of it');
  return watched;
}

/** One value of a store; the caller is rendered anew when that one changes. */
export function useKeyed<Value>(store: KeyedStore<Value>, key: string): Value | undefined {
  const subscribe = useCallback((changed: () => void) => store.subscribe(key, changed), [store, key]);
  return useSyncExternalStore(subscribe, () => store.get(key));
}

/** What is shown of the transcript, in order. */
export function useItems(feed: SessionFeed): readonly Item[] {
  const subscribe = useCallback((changed: () => void) => feed.view.subscribe(changed), [feed]);
  return useSyncExternalStore(subscribe, () => feed.view.items);
}

/** How the feed stands: loading, live, cut off. */
export function useFeedState(feed: SessionFeed): FeedState {
  const subscribe = useCallback((changed: () => void) => feed.subscribe(changed), [feed]);
  return useSyncExternalStore(subscribe, () => feed.state);
}
