import { Link } from '@tanstack/react-router';
import type { Schema } from '@aos/client';
import { call } from '../../api/call';
import { useItem, useRows } from '../../api/hooks';
import { Badge, Card, EmptyState, ErrorNote, LacksNote, Page, Skeleton, Status, Table, Time } from '../../ui';
import { Health } from './health';
import { Minutes } from './minutes';
import { Totals } from './totals';

/** The service's own processes note their counts this often. */
const notedMs = 5_000;

export function Overview() {
  const overview = useItem(call('overview', 'get'), { everyMs: notedMs });
  return (
    <Page title="Overview" call={overview.call}>
      {overview.lacks !== null && <LacksNote permission={overview.lacks} />}
      {overview.error && <ErrorNote error={overview.error} onRetry={() => void overview.refetch()} />}
      {overview.isLoading && <Skeleton lines={8} />}
      {overview.data && <Now overview={overview.data} />}
      <div className="grid gap-5 xl:grid-cols-2">
        <LatestSessions />
        <FailedTurns />
      </div>
    </Page>
  );
}

function Now({ overview }: { overview: Schema<'Overview'> }) {
  const { minutes, waiting_questions: waiting, not_ready: notReady, lag } = overview;
  return (
    <>
      <Totals minutes={minutes ?? null} waiting={waiting} />
      {minutes ? <Minutes minutes={minutes} /> : <LacksNote permission="svc.org.admin" />}
      {notReady && lag && <Health notReady={notReady} lag={lag} />}
    </>
  );
}

function LatestSessions() {
  const sessions = useRows(call('sessions', 'list', { limit: 8 }));
  return (
    <Card title="Latest sessions" flush>
      <Table
        label="Latest sessions"
        bare
        list={{ ...sessions, hasMore: false }}
        rowKey={({ id }) => id}
        columns={[
          {
            title: 'Session',
            cell: ({ id, title, session_key: key }) => (
              <Link to="/sessions/$id" params={{ id }} className="after:absolute after:inset-0">
                {title || key || id}
              </Link>
            ),
          },
          { title: 'Status', cell: ({ status }) => <Status value={status} /> },
          { title: 'Changed', wideOnly: true, cell: ({ updated_at: at }) => <Time at={at} /> },
        ]}
        empty={
          <EmptyState icon="sessions" title="No sessions yet">
            A session is a conversation with an agent. <code className="font-mono">npm run demo</code> fills the service
            with some.
          </EmptyState>
        }
      />
    </Card>
  );
}

function FailedTurns() {
  const turns = useRows(call('turns', 'list', { status: ['failed'], limit: 8 }));
  return (
    <Card title="Failed turns" flush>
      <Table
        label="Failed turns"
        bare
        list={{ ...turns, hasMore: false }}
        rowKey={({ id }) => id}
        columns={[
          {
            title: 'Turn',
            cell: ({ id, session_id: session, error_message: message }) => (
              <Link to="/sessions/$id" params={{ id: session }} className="after:absolute after:inset-0">
                {message ?? id}
              </Link>
            ),
          },
          { title: 'Why', cell: ({ error_type: type }) => <Badge tone="bad">{type ?? 'failed'}</Badge> },
          { title: 'Began', wideOnly: true, cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
        empty={
          <EmptyState icon="check" title="No turn has failed">
            Turns that fail stand here, newest first, with the reason.
          </EmptyState>
        }
      />
    </Card>
  );
}
