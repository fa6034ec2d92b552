import { createContext, useCallback, useContext, useSyncExternalStore } from 'react';
import type { KeyedStore } from './keyed-store';
import type { SessionFeed } from './session-feed';

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
