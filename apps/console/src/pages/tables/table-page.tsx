import { useParams } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useItem } from '../../api/hooks';
import { Card, Facts, Id, ItemView, numberText, Page, Tabs, Time } from '../../ui';
import { copyName } from '../definitions/copy-name';
import { DefinitionMenu } from '../definitions/definition-menu';
import { ManagedNote, protectionOf, useBinding } from '../definitions/managed';
import { tagsText } from '../definitions/tags-field';
import { RowsView } from './rows-view';
import { TableSettings } from './table-settings';
import { copyOf, type NewTableBody, type Table } from './table-body';

export default function TablePage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const table = useItem(call('tables', 'get', id));
  return (
    <Page
      title={table.data?.name ?? 'Table'}
      back={{ to: '/tables', label: 'Tables' }}
      lead={<Id value={id} />}
      call={table.call}
      actions={table.data && <TableMenu table={table.data} />}
    >
      <ItemView item={table}>{(value) => <TableView key={value.id} table={value} />}</ItemView>
    </Page>
  );
}

function TableView({ table }: { table: Table }) {
  const binding = useBinding(table.id);
  const [{ tab = 'rows' }, setFilters] = useFilters();
  return (
    <>
      <ManagedNote binding={binding} fixed="Identity, types and required flags of its columns are fixed." />
      <Tabs
        label="Views of the table"
        value={tab}
        onChange={(next) => setFilters({ tab: next === 'rows' ? '' : next })}
        tabs={[
          { value: 'rows', label: 'Rows', content: <RowsView table={table} /> },
          {
            value: 'schema',
            label: 'Schema',
            content: (
              <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem]">
                <TableSettings table={table} refused={protectionOf(binding)} />
                <About table={table} />
              </div>
            ),
          },
        ]}
      />
    </>
  );
}

function About({ table }: { table: Table }) {
  const stats = useItem(call('tables', 'getStats', table.id));
  return (
    <Card title="About">
      <Facts
        facts={[
          ['Visibility', table.visibility],
          ['Owner', table.owner.kind === 'team' ? 'team' : <Id key="owner" value={table.owner.id ?? ''} short />],
          tagsText(table.tags) === '' ? null : ['Tags', tagsText(table.tags)],
          stats.data ? ['Rows', numberText(stats.data.row_count)] : null,
          stats.data ? ['Data', `${numberText(stats.data.approx_data_bytes, true)} bytes, about`] : null,
          ['Made', <Time key="made" at={table.created_at} form="whole" />],
          ['Changed', <Time key="changed" at={table.updated_at} />],
        ]}
      />
    </Card>
  );
}

const nameMax = 64;

function TableMenu({ table }: { table: Table }) {
  return (
    <DefinitionMenu
      word="table"
      name={table.name}
      list="/tables"
      pathOf={(made) => `/tables/${(made as Table).id}`}
      duplicating={{
        schema: 'CreateTableRequest',
        name: copyName(table.name, nameMax, '_copy'),
        bodyFor: (name) => copyOf(table, name),
        callFor: (body) => call('tables', 'create', body as NewTableBody),
        note: 'The copy has the same columns and no rows.',
      }}
      removing={call('tables', 'delete', table.id)}
      consequence="Its rows are deleted with it."
      changes={['blueprints']}
    />
  );
}
