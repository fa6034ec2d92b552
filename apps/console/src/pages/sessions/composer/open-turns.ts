import { useCallback, useRef, useSyncExternalStore } from 'react';
import type { TranscriptTurn } from '@aos/client';
import type { SessionFeed } from '../transcript/session-feed';

/** The session's turns that are open, oldest first. The list is the same one while they are. */
export function useOpenTurns(feed: SessionFeed): readonly TranscriptTurn[] {
  const before = useRef<readonly TranscriptTurn[]>([]);
  const subscribe = useCallback((changed: () => void) => feed.view.subscribe(changed), [feed]);
  return useSyncExternalStore(subscribe, () => {
    const now = feed.view.openTurns();
    const isSame = now.length === before.current.length && now.every((turn, index) => turn === before.current[index]);
    if (!isSame) before.current = now;
    return before.current;
  });
}
