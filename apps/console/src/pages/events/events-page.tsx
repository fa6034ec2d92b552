import { useEffect, useState, useSyncExternalStore } from 'react';
import { call, type ApiCall } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useService } from '../../api/hooks';
import { useLacks } from '../../api/permissions';
import { Button, CallShown, EmptyState, ErrorNote, Id, LacksNote, Page, Skeleton, Tabs, VirtualList } from '../../ui';
import { EventFilters } from './event-filters';
import { eventFilter, type EventFilter } from './event-filter';
import { EventRow } from './event-row';
import { EventTail, type TailState } from './event-tail';
import { WebhooksTab } from './webhooks/webhooks-tab';

/** The organization's events as they come, those before, and where else they are sent. */
export default function EventsPage() {
  const [{ view = 'live' }, setFilters] = useFilters();
  return (
    <Page title="Events">
      <Tabs
        label="Events"
        value={view}
        onChange={(next) => setFilters({ view: next === 'live' ? '' : next })}
        tabs={[
          { value: 'live', label: 'Live', content: <LiveTab /> },
          { value: 'webhooks', label: 'Web hooks', content: <WebhooksTab /> },
        ]}
      />
    </Page>
  );
}

function LiveTab() {
  const [filters, setFilters] = useFilters();
  const filter = eventFilter(filters);
  const listing = call('events', 'list', { ...filter, order: 'desc', limit: 50 });
  const lacks = useLacks(listing);
  const isFiltered = Object.keys(filter).length > 0;
  if (lacks !== null) return <LacksNote permission={lacks} />;
  return (
    <div className="flex flex-col gap-4">
      <EventFilters filters={filters} onChange={setFilters} />
      <Tail key={JSON.stringify(filter)} filter={filter} isFiltered={isFiltered} listing={listing} />
    </div>
  );
}

interface Shown {
  filter: EventFilter;
  isFiltered: boolean;
  listing: ApiCall;
}

function Tail({ filter, isFiltered, listing }: Shown) {
  const [tail, setTail] = useState<EventTail | null>(null);
  const svc = useService();
  const [opened] = useState(filter);
  useEffect(() => {
    const made = new EventTail(svc, opened);
    setTail(made);
    void made.open();
    return () => made.close();
  }, [svc, opened]);
  return tail === null ? <Skeleton lines={8} /> : <TailView {...{ tail, isFiltered, listing }} filter={opened} />;
}

function TailView({ tail, filter, isFiltered, listing }: Shown & { tail: EventTail }) {
  const state = useSyncExternalStore(tail.subscribe, tail.snapshot);
  const { rows, isLoading, error, isLoadingOlder, hasOlder, hasDropped } = state;
  if (isLoading) return <Skeleton lines={8} />;
  return (
    <div className="flex flex-col gap-3">
      <Head {...{ tail, state, filter, listing }} />
      {error && <ErrorNote error={error} />}
      <div className="border-line bg-surface rounded-lg border">
        {rows.length === 0 ? (
          <EmptyState icon="events" title={isFiltered ? 'No such event is kept' : 'No events yet'}>
            {isFiltered
              ? 'What matches appears here as it happens.'
              : 'Messages, questions, rows of tables, memory and mail leave events. They appear here as they happen.'}
          </EmptyState>
        ) : (
          <VirtualList
            label="Events, newest first"
            rows={rows}
            rowKey={({ meta }) => meta.id}
            estimatedHeight={41}
            className="h-[calc(100dvh-20rem)] min-h-80"
            render={(event) => <EventRow event={event} />}
          />
        )}
      </div>
      {hasOlder && (
        <div className="flex justify-center">
          <Button onClick={() => void tail.loadOlder()} busy={isLoadingOlder}>
            {isLoadingOlder ? 'Loading…' : 'Load older events'}
          </Button>
        </div>
      )}
      {hasDropped && (
        <p className="text-muted text-xs">
          The newest {rows.length} events are kept here; older ones have left the list.
        </p>
      )}
    </div>
  );
}

function Head({
  tail,
  state,
  filter,
  listing,
}: Pick<Shown, 'filter' | 'listing'> & { tail: EventTail; state: TailState }) {
  const { isPaused, held, position, rows } = state;
  const streaming = call('events', 'stream', { ...filter, ...(position && { cursor: position }) });
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="text-muted flex min-w-0 flex-wrap items-center gap-x-3 text-xs" aria-live="polite">
        <span>
          {isPaused ? 'Paused' : 'Live'}, {rows.length} shown{held > 0 && `, ${held} more came`}
        </span>
        {position && (
          <span className="inline-flex min-w-0 items-center gap-1.5">
            Position <Id value={position} short />
          </span>
        )}
      </p>
      <div className="flex items-center gap-2">
        <CallShown call={listing} />
        <CallShown call={streaming} label="Stream" />
        <Button icon={isPaused ? 'play' : 'pause'} aria-pressed={isPaused} onClick={() => tail.pause(!isPaused)}>
          {isPaused ? (held > 0 ? `Go on, show ${held}` : 'Go on') : 'Pause'}
        </Button>
      </div>
    </div>
  );
}
