import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { useFound } from '../../api/search';
import { Button, EmptyState, Page, Table, Time } from '../../ui';
import { SearchField } from '../definitions/search-field';
import { tagsText } from '../definitions/tags-field';
import { NewTable } from './new-table';

export default function TablesPage() {
  const [{ q = '' }, setFilters] = useFilters();
  const tables = useRows(call('tables', 'list', { limit: 100 }));
  const found = useFound(tables, q, ({ id, name, description = '', schema, tags }) =>
    [id, name, description, tagsText(tags), ...schema.columns.map((column) => column.name)].join(' '),
  );
  const [isMaking, setMaking] = useState(false);
  const make = (
    <Button look="primary" icon="plus" needs="svc.resource.build" onClick={() => setMaking(true)}>
      New table
    </Button>
  );
  return (
    <Page title="Tables" call={tables.call} actions={make}>
      <div className="flex flex-wrap items-center gap-2">
        <SearchField label="Search name, description, columns" value={q} onChange={(text) => setFilters({ q: text })} />
        {found.note && <p className="text-muted text-xs">{found.note}</p>}
      </div>
      <Table
        label="Tables"
        list={found}
        rowKey={({ id }) => id}
        columns={[
          {
            title: 'Name',
            cell: ({ id, name, description }) => (
              <Link to={`/tables/${id}`} className="after:absolute after:inset-0">
                <bdi>{name}</bdi> <span className="text-muted font-normal">{description}</span>
              </Link>
            ),
          },
          { title: 'Columns', align: 'right', cell: ({ schema }) => schema.columns.length },
          { title: 'Visibility', wideOnly: true, cell: ({ visibility }) => visibility },
          { title: 'Changed', wideOnly: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
        ]}
        empty={
          q === '' ? (
            <EmptyState icon="table" title="No tables yet" action={make}>
              A table holds typed rows that agents, routines and programs read and write.
            </EmptyState>
          ) : (
            <EmptyState icon="table" title="No table fits">
              Take a word away to see more.
            </EmptyState>
          )
        }
      />
      {isMaking && <NewTable onClose={() => setMaking(false)} />}
    </Page>
  );
}
