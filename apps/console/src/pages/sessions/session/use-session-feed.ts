import { useCallback, useEffect, useMemo } from 'react';
import type { SourceEvent } from '@aos/client';
import { useService } from '../../../api/hooks';
import { useLiveEvents, useLiveState } from '../../../api/live';
import { preloadMarkdown } from '../text/preload-markdown';
import { frameBatch } from '../transcript/frame-batch';
import { SessionFeed } from '../transcript/session-feed';

/** Follows a session while the page is shown; events of the organization wake the feed of one that rests. */
export function useSessionFeed(sessionId: string): SessionFeed {
  const svc = useService();
  const feed = useMemo(() => new SessionFeed(svc, sessionId, frameBatch), [svc, sessionId]);
  useEffect(() => {
    preloadMarkdown();
    void feed.run();
    return () => feed.close();
  }, [feed]);
  useLiveEvents(
    useCallback(
      (event: SourceEvent) => {
        if (event.source_id === sessionId || event.meta.session_id === sessionId) feed.wake();
      },
      [feed, sessionId],
    ),
  );
  const live = useLiveState();
  useEffect(() => {
    if (live === 'live') feed.wake(); // what came before the events were followed has none
  }, [feed, live]);
  return feed;
}
