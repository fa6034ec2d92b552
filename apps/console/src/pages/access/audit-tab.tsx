import { useEffect } from 'react';
import type { Query } from '@aos/client';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows, type Rows } from '../../api/hooks';
import { PrincipalName } from '../../names/name';
import { Button, CallShown, Dialog, EmptyState, Skeleton, Table, Time, type Column } from '../../ui';
import { AuditEntryFacts, type AuditEntry } from './audit-entry';
import { AuditFilters } from './audit-filters';

/** Rows that are looked through for the entry of an address. */
const lookedThroughMax = 1_000;

function auditQuery({ action, actor, type, resource, since }: Record<string, string>): Query<'listAuditEntries'> {
  return {
    ...(action && { action: [action] }),
    ...(actor && { actor_id: actor }),
    ...(type && { resource_type: type }),
    ...(resource && { resource_id: resource }),
    ...(since && { since }),
    limit: 100,
  };
}

const columnsWith = (open: (id: string) => void): readonly Column<AuditEntry>[] => [
  {
    title: 'Change',
    cell: ({ id, action }) => (
      <button
        type="button"
        className="max-w-full truncate text-left font-mono text-xs after:absolute after:inset-0"
        onClick={() => open(id)}
      >
        {action}
      </button>
    ),
  },
  {
    title: 'Of',
    wideOnly: true,
    cell: ({ resource: { type, name, id } }) => (
      <span className="block max-w-56 truncate" title={id}>
        <span className="text-muted">{type.replace(/_/g, ' ')}</span> <bdi>{name ?? `…${id.slice(-8)}`}</bdi>
      </span>
    ),
  },
  { title: 'By', wideOnly: true, cell: ({ actor }) => <PrincipalName id={actor.principal_id} /> },
  { title: 'When', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
];

/** Who changed what, newest first. */
export function AuditTab() {
  const [filters, setFilters] = useFilters();
  const audit = useRows(call('audit', 'list', auditQuery(filters)));
  const { entry = '' } = filters;
  return (
    <div className="flex flex-col gap-4">
      <AuditFilters
        filters={filters}
        onChange={setFilters}
        actions={
          <>
            <CallShown call={audit.call} />
            <Button icon="refresh" onClick={audit.reload}>
              Look again
            </Button>
          </>
        }
      />
      <Table
        label="Audit log"
        list={audit}
        rowKey={({ id }) => id}
        columns={columnsWith((id) => setFilters({ entry: id }))}
        empty={
          <EmptyState icon="search" title="No such change">
            Changes of keys, roles, principals and resources stand here, and questions and turns that were ended.
          </EmptyState>
        }
      />
      {entry !== '' && audit.lacks === null && (
        <Dialog open onClose={() => setFilters({ entry: '' })} title="Entry of the audit log">
          <EntryOf id={entry} list={audit} />
        </Dialog>
      )}
    </div>
  );
}

/** The entry among the rows, which are loaded on until it is there. */
function EntryOf({ id, list }: { id: string; list: Rows<AuditEntry> }) {
  const found = list.rows.find((one) => one.id === id);
  const mayLoad = found === undefined && list.hasMore && list.rows.length < lookedThroughMax;
  const { isLoadingMore, loadMore } = list;
  useEffect(() => {
    if (mayLoad && !isLoadingMore) loadMore();
  }, [mayLoad, isLoadingMore, loadMore]);
  if (found) return <AuditEntryFacts of={found} />;
  if (list.isPending || mayLoad) return <Skeleton lines={6} />;
  return <p className="text-muted">It is not among the newest changes that match these filters.</p>;
}
