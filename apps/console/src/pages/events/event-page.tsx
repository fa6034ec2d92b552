import { Link, useParams } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import type { SourceEvent } from '@aos/client';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useService } from '../../api/hooks';
import { useLacks } from '../../api/permissions';
import { AgentName, PrincipalName, SessionLink } from '../../names/name';
import { Card, EmptyState, ErrorNote, Facts, Id, JsonView, LacksNote, Page, Skeleton, Time } from '../../ui';
import { pageOf } from './event-text';
import { findEvent, type FoundEvent } from './find-event';

/** One event whole. Its address names its source and time, because the feed is not asked by id. */
export default function EventPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const [{ kind, source, since }] = useFilters();
  const svc = useService();
  const listing = call('events', 'list', {
    ...(kind && { source_kind: kind }),
    ...(source && { source_id: source }),
    ...(since && { since }),
    limit: 1,
  });
  const lacks = useLacks(listing);
  const found = useQuery({
    queryKey: ['event', id, kind, source, since],
    queryFn: ({ signal }) => findEvent(svc, id, { kind, source, since }, signal),
    enabled: lacks === null,
    staleTime: Infinity, // an event does not change
  });
  return (
    <Page
      title={found.data?.event.event_type ?? 'Event'}
      back={{ to: '/events', label: 'Events' }}
      lead={<Id value={id} />}
      call={listing}
    >
      {lacks !== null && <LacksNote permission={lacks} />}
      {found.error && <ErrorNote error={found.error} onRetry={() => void found.refetch()} />}
      {found.isLoading && <Skeleton lines={8} />}
      {found.data === null && (
        <EmptyState icon="search" title="It is not there">
          Events are kept for 30 days unless the service is set otherwise. Or this key does not reach what it is about,
          or its address lost the part that says where it is.
        </EmptyState>
      )}
      {found.data && <Whole of={found.data} />}
    </Page>
  );
}

function Whole({ of: { event, position } }: { of: FoundEvent }) {
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-5">
        <Card title="Payload">
          <JsonView label="Payload" value={event.event} openDepth={5} />
        </Card>
        <Card title="Envelope">
          <JsonView label="Envelope" value={event} />
        </Card>
      </div>
      <Card title="About">
        <About event={event} position={position} />
      </Card>
    </div>
  );
}

function About({ event, position }: { event: SourceEvent; position: string }) {
  const { meta } = event;
  const page = pageOf(event);
  return (
    <Facts
      facts={[
        ['Happened', <Time key="at" at={meta.occurred_at} form="whole" />],
        ['Recorded', <Time key="recorded" at={meta.received_at} form="whole" />],
        ['Source', event.source_kind.replace(/_/g, ' ')],
        [
          'Source id',
          page ? (
            <Link key="source" to={page.to} params={{ id: page.id }} className="text-accent break-all hover:underline">
              {event.source_id}
            </Link>
          ) : (
            <Id key="source" value={event.source_id} short />
          ),
        ],
        meta.agent_id ? ['Agent', <AgentName key="agent" id={meta.agent_id} />] : null,
        meta.session_id && event.source_kind !== 'session'
          ? ['Session', <SessionLink key="session" id={meta.session_id} />]
          : null,
        meta.user_id ? ['Person', <PrincipalName key="user" id={meta.user_id} />] : null,
        meta.provider ? ['Provider', meta.provider] : null,
        ['Position', <Id key="position" value={position} short />],
        meta.truncated?.length ? ['Cut short', meta.truncated.join(', ')] : null,
      ]}
    />
  );
}
