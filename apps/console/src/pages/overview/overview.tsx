import { Link } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useRows } from '../../api/hooks';
import { Card, EmptyState, Page, Status, Table, Time } from '../../ui';

export function Overview() {
  const sessions = useRows(call('sessions', 'list', { limit: 8 }));
  return (
    <Page title="Overview" call={sessions.call}>
      <Card title="Latest sessions" flush>
        <Table
          label="Latest sessions"
          bare
          list={{ ...sessions, hasMore: false }}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'Session',
              cell: ({ id, title, session_key }) => (
                <Link to="/sessions/$id" params={{ id }} className="after:absolute after:inset-0">
                  {title ?? session_key ?? id}
                </Link>
              ),
            },
            { title: 'Status', cell: ({ status }) => <Status value={status} /> },
            { title: 'Changed', wideOnly: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
          ]}
          empty={
            <EmptyState icon="sessions" title="No sessions yet">
              A session is a conversation with an agent. <code className="font-mono">npm run demo</code> fills the
              service with some.
            </EmptyState>
          }
        />
      </Card>
    </Page>
  );
}
