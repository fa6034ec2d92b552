import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import { call } from '../../../api/call';
import { useFilters } from '../../../api/filters';
import { useRows } from '../../../api/hooks';
import { Button, CallShown, EmptyState, Status, Table, Time, type Column } from '../../../ui';
import { SearchField } from '../../definitions/search-field';
import { kindText, type Connection } from './connection-draft';
import { NewConnection } from './new-connection';
import { Providers } from './providers';
import { ReturnOrigins } from './return-origins';

const columns: readonly Column<Connection>[] = [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <Link to="/access/connections/$id" params={{ id }} dir="auto" className="after:absolute after:inset-0">
        {name}
      </Link>
    ),
  },
  { title: 'Kind', cell: ({ kind }) => <span className="md:whitespace-nowrap">{kindText(kind)}</span> },
  { title: 'Provider', wideOnly: true, cell: ({ provider }) => provider ?? <span className="text-muted">none</span> },
  { title: 'Owner', wideOnly: true, cell: ({ owner }) => (owner.kind === 'team' ? 'team' : 'you') },
  { title: 'Status', wideOnly: true, cell: ({ status }) => <Status value={status} /> },
  { title: 'Changed', wideOnly: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
];

/** Accounts at outside services: the team's and the reader's own. */
export function ConnectionsTab() {
  const [{ provider = '' }, setFilters] = useFilters();
  const connections = useRows(call('connections', 'list', { ...(provider && { provider }), limit: 50 }));
  const [isMaking, setMaking] = useState(false);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <SearchField label="Provider" value={provider} onChange={(text) => setFilters({ provider: text })} />
        <div className="flex flex-wrap gap-2">
          <CallShown call={connections.call} />
          <Button look="primary" icon="plus" needs="svc.resource.use" onClick={() => setMaking(true)}>
            New connection
          </Button>
        </div>
      </div>
      <Table
        label="Connections"
        list={connections}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          <EmptyState icon="link" title={provider === '' ? 'No connections yet' : 'No such connection'}>
            A connection is an account at an outside service. Actions and messages go out with it; its secret is written
            here and never read back.
          </EmptyState>
        }
      />
      <Providers />
      <ReturnOrigins />
      {isMaking && <NewConnection onClose={() => setMaking(false)} />}
    </div>
  );
}
