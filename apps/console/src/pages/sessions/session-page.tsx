import { useEffect, useMemo, useState } from 'react';
import { useParams } from '@tanstack/react-router';
import type { Reply } from '@aos/client';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useItem } from '../../api/hooks';
import { useAgents } from '../../api/use-agents';
import { useLiveState } from '../../api/live';
import { Badge, Button, CallShown, classes, ErrorNote, IconButton, ItemView, Tabs } from '../../ui';
import { Composer } from './composer/composer';
import { FramesPanel } from './session/frames-panel';
import { SessionDetails } from './session/session-details';
import { SessionFiles } from './session/session-files';
import { SessionHead, sessionName } from './session/session-head';
import { SessionMenu } from './session/session-menu';
import { useSessionFeed } from './session/use-session-feed';
import { TranscriptContext, useFeedState, useTranscript } from './transcript/transcript-context';
import { TranscriptList } from './shown/transcript-list';

type Session = Reply<'getSession'>;

export default function SessionPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const session = useItem(call('sessions', 'get', id));
  const title = session.data === undefined ? 'Session' : sessionName(session.data);
  useEffect(() => {
    document.title = `${title} · Console`;
  }, [title]);
  if (session.data === undefined)
    return (
      <div className="mx-auto flex w-full max-w-6xl flex-col gap-4 px-4 py-5">
        <h1 className="text-lg font-semibold">Session</h1>
        <ItemView item={session}>{() => null}</ItemView>
      </div>
    );
  return <OneSession key={id} session={session.data} error={session.error} />;
}

function OneSession({ session, error }: { session: Session; error: Error | null }) {
  const feed = useSessionFeed(session.id);
  const watched = useMemo(() => ({ feed, sessionId: session.id }), [feed, session.id]);
  const agents = useAgents(); // one that was deleted is no fault
  const agent = agents.rows.find(({ id }) => id === session.agent_id);
  const [{ row }] = useFilters();
  const [isBeside, setBeside] = useState(() => matchMedia('(min-width: 64rem)').matches);
  return (
    <TranscriptContext value={watched}>
      <div className="flex h-[calc(100dvh-3rem)] min-h-0 md:h-dvh">
        <div className={classes('flex min-h-0 min-w-0 flex-1 flex-col', isBeside && 'max-lg:hidden')}>
          <header className="border-line bg-surface flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b px-4 py-2">
            <div className="min-w-0 flex-1 basis-56">
              <SessionHead session={session} />
            </div>
            <div className="flex flex-wrap items-center gap-2">
              <Connection />
              <CallShown call={call('sessions', 'getTranscript', session.id)} />
              <Button aria-expanded={isBeside} onClick={() => setBeside(!isBeside)}>
                Details
              </Button>
              <SessionMenu session={session} />
            </div>
          </header>
          {error && <ErrorNote error={error} />}
          <TranscriptList empty="Write a message below to start the first turn." row={placeOf(row)} />
          <Composer status={session.status} />
        </div>
        {isBeside && (
          <aside
            aria-label="Session details"
            className="border-line bg-surface w-full overflow-y-auto border-l p-4 lg:w-80 xl:w-96"
          >
            <div className="mb-2 flex justify-end lg:hidden">
              <IconButton label="Back to the transcript" icon="close" onClick={() => setBeside(false)} />
            </div>
            <Tabs
              label="Beside the transcript"
              tabs={[
                {
                  value: 'details',
                  label: 'Details',
                  content: <SessionDetails session={session} agentName={agent?.name ?? null} />,
                },
                { value: 'files', label: 'Files', content: <SessionFiles sessionId={session.id} /> },
                { value: 'frames', label: 'Frames', content: <FramesPanel /> },
              ]}
            />
          </aside>
        )}
      </div>
    </TranscriptContext>
  );
}

/** The row that the address names. */
function placeOf(row: string | undefined): number | null {
  return row !== undefined && /^\d{1,15}$/.test(row) ? Number(row) : null;
}

function Connection() {
  const { feed } = useTranscript();
  const state = useFeedState(feed);
  const live = useLiveState();
  const isAway = state.isReconnecting || live === 'away';
  return (
    <span role="status" className="empty:-me-2">
      {isAway && <Badge tone="warn">Reconnecting…</Badge>}
      {!isAway && state.phase === 'live' && state.error instanceof Error && (
        <Badge tone="bad">{state.error.message.slice(0, 60)}</Badge>
      )}
    </span>
  );
}
