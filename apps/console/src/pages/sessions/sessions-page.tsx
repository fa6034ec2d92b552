import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import type { Reply } from '@aos/client';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import {
  Button,
  EmptyState,
  ErrorNote,
  LacksNote,
  numberText,
  Page,
  Skeleton,
  Status,
  Time,
  VirtualList,
} from '../../ui';
import { useAgentNames } from '../../names/use-names';
import { Filters } from './list/filters';
import { isFiltered, sessionQuery } from './list/session-filters';
import { visibleText } from './text/visible-text';

type Session = Reply<'getSession'>;

const openStatuses = ['queued', 'running', 'waiting'] as const;
/** A turn that is cancelled or fails has no event: while turns are open they are looked at so often. */
const openTurnsMs = 10_000;

const noFilters = { q: '', agent: '', status: '', owner: '', metadata: '', since: '' };

export default function SessionsPage() {
  const [filters, setFilters] = useFilters();
  const now = useMinute();
  const sessions = useRows(call('sessions', 'list', sessionQuery(filters, now)));
  const agentNames = useAgentNames();
  const turnOf = useOpenTurns();
  return (
    <Page title="Sessions" call={sessions.call}>
      <Filters filters={filters} onChange={setFilters} agentNames={agentNames} />
      <List
        sessions={sessions}
        agentNames={agentNames}
        turnOf={turnOf}
        empty={<NoSessions isFiltered={isFiltered(filters)} onClear={() => setFilters(noFilters)} />}
      />
    </Page>
  );
}

function NoSessions({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered)
    return (
      <EmptyState
        icon="search"
        title="No session matches"
        action={<Button onClick={onClear}>Clear the filters</Button>}
      >
        Sessions out of this key’s reach are not shown.
      </EmptyState>
    );
  return (
    <EmptyState
      icon="sessions"
      title="No sessions yet"
      action={
        <Link to="/playground" className="text-accent font-medium underline">
          Talk to an agent in the playground
        </Link>
      }
    >
      A session begins with the first message to an agent, here or by the API.
    </EmptyState>
  );
}

function List({
  sessions,
  agentNames,
  turnOf,
  empty,
}: {
  sessions: ReturnType<typeof useRows<Session, unknown>>;
  agentNames: ReadonlyMap<string, string>;
  turnOf: ReadonlyMap<string, string>;
  empty: ReactNode;
}) {
  if (sessions.lacks !== null) return <LacksNote permission={sessions.lacks} />;
  if (sessions.error !== null && sessions.rows.length === 0)
    return <ErrorNote error={sessions.error} onRetry={sessions.reload} />;
  if (sessions.isPending) return <Skeleton lines={8} />;
  if (sessions.rows.length === 0) return <div className="border-line bg-surface rounded-lg border">{empty}</div>;
  return (
    <div className="flex flex-col gap-3">
      {sessions.error && <ErrorNote error={sessions.error} onRetry={sessions.reload} />}
      <div
        aria-busy={sessions.isStale}
        className={`border-line bg-surface overflow-hidden rounded-lg border ${sessions.isStale ? 'opacity-60' : ''}`}
      >
        <div aria-hidden="true" className={`text-muted border-line border-b py-2 text-xs font-medium ${columns}`}>
          <span>Session</span>
          <span className="max-md:hidden">Agent</span>
          <span className="max-md:hidden text-right">Rows</span>
          <span>State</span>
          <span className="text-right">Active</span>
        </div>
        <VirtualList
          label="Sessions"
          rows={sessions.rows}
          rowKey={({ id }) => id}
          estimatedHeight={49}
          className="max-h-[calc(100dvh-18rem)] min-h-48 -outline-offset-2"
          onEnd={() => sessions.hasMore && !sessions.isLoadingMore && sessions.loadMore()}
          render={(session) => (
            <SessionLine
              session={session}
              agent={agentNames.get(session.agent_id) ?? session.agent_id}
              turn={turnOf.get(session.id)}
            />
          )}
        />
      </div>
      {sessions.hasMore && (
        <div className="flex justify-center">
          <Button onClick={sessions.loadMore} busy={sessions.isLoadingMore}>
            {sessions.isLoadingMore ? 'Loading…' : 'Load more'}
          </Button>
        </div>
      )}
    </div>
  );
}

const columns =
  'grid items-center gap-3 px-4 grid-cols-[minmax(0,1fr)_5.5rem_5.5rem] md:grid-cols-[minmax(0,1fr)_10rem_4rem_6rem_7rem]';

function SessionLine({ session, agent, turn }: { session: Session; agent: string; turn: string | undefined }) {
  const {
    id,
    title,
    session_key: key,
    status,
    message_count: count,
    last_message_at: last,
    updated_at: changed,
  } = session;
  return (
    <div
      className={`border-line hover:bg-hover focus-within:bg-hover relative min-h-12 border-b py-1.5 [[data-row]:last-child_&]:border-b-0 ${columns}`}
    >
      <div className="min-w-0">
        <Link
          to="/sessions/$id"
          params={{ id }}
          dir="auto"
          className="block truncate font-medium after:absolute after:inset-0"
        >
          {visibleText(title === '' ? key : title)}
        </Link>
        <span className="text-muted block truncate font-mono text-2xs">{visibleText(title === '' ? id : key)}</span>
      </div>
      <span className="truncate max-md:hidden">{agent}</span>
      <span className="text-right tabular-nums max-md:hidden">{numberText(count)}</span>
      <span>
        <Status value={turn ?? (status === 'active' ? 'idle' : status)} />
      </span>
      <span className="text-muted text-right text-xs">
        <Time at={last ?? changed} />
      </span>
    </div>
  );
}

/** The state of the open turn of each session that has one. */
function useOpenTurns(): ReadonlyMap<string, string> {
  const client = useQueryClient();
  const turns = useRows(call('turns', 'list', { status: [...openStatuses], limit: 100 }));
  const hasOpen = turns.rows.length > 0;
  useEffect(() => {
    if (!hasOpen) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) void client.invalidateQueries({ queryKey: ['turns', 'list'] });
    }, openTurnsMs);
    return () => clearInterval(timer);
  }, [client, hasOpen]);
  return useMemo(
    () => new Map([...turns.rows].reverse().map(({ session_id, status }) => [session_id, status])),
    [turns.rows],
  );
}

/** The time at the last full minute; a span that ends now would be another question for each picture. */
function useMinute(): number {
  const [now] = useState(() => Math.floor(Date.now() / 60_000) * 60_000);
  return now;
}
