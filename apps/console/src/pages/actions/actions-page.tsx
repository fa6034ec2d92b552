import { useState, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { useFound } from '../../api/search';
import { Badge, Button, EmptyState, Page, Select, Table, Time, type Column } from '../../ui';
import { SearchField } from '../definitions/search-field';
import { tagsText } from '../definitions/tags-field';
import { NewAction } from './new-action';
import type { Action, CatalogAction } from './action-body';

const sources = [
  { value: '', label: 'Your own' },
  { value: 'platform', label: 'Built in' },
];

export default function ActionsPage() {
  const [{ q = '', source = '' }, setFilters] = useFilters();
  const [isMaking, setMaking] = useState(false);
  const make = (
    <Button look="primary" icon="plus" needs="svc.resource.build" onClick={() => setMaking(true)}>
      New action
    </Button>
  );
  const filters = (note: string | null) => (
    <div className="flex flex-wrap items-center gap-2">
      <SearchField label="Search name, title, description" value={q} onChange={(text) => setFilters({ q: text })} />
      <Select
        label="Source"
        hideLabel
        className="w-36"
        options={sources}
        value={source}
        onChange={({ target }) => setFilters({ source: target.value })}
      />
      {note && <p className="text-muted text-xs">{note}</p>}
    </div>
  );
  const parts = { q, make, filters };
  return (
    <>
      {source === 'platform' ? <BuiltIn {...parts} /> : <Custom {...parts} />}
      {isMaking && <NewAction onClose={() => setMaking(false)} />}
    </>
  );
}

interface Parts {
  q: string;
  make: ReactNode;
  filters: (note: string | null) => ReactNode;
}

interface Named {
  name: string;
  title?: string;
  description?: string;
}

const textOf = ({ name, title = '', description = '' }: Named): string => `${name} ${title} ${description}`;

const nameColumn: Column<Named> = {
  title: 'Name',
  cell: ({ name, title, description }) => (
    <Link to={`/actions/${encodeURIComponent(name)}`} className="after:absolute after:inset-0">
      <bdi>{name}</bdi> <span className="text-muted font-normal">{title ?? description}</span>
    </Link>
  ),
};

function Custom({ q, make, filters }: Parts) {
  const actions = useRows(call('actions', 'list', { limit: 100 }));
  const found = useFound(actions, q, (action) => `${textOf(action)} ${tagsText(action.tags)}`);
  const columns: Column<Action>[] = [
    nameColumn,
    { title: 'Kind', cell: ({ endpoint_kind }) => <Badge>{endpoint_kind}</Badge> },
    { title: 'Effects', wideOnly: true, cell: ({ annotations }) => <Effects annotations={annotations} /> },
    { title: 'Visibility', wideOnly: true, cell: ({ visibility }) => visibility },
    { title: 'Changed', wideOnly: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
  ];
  return (
    <Page title="Actions" call={actions.call} actions={make}>
      {filters(found.note)}
      <Table
        label="Actions"
        list={found}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          q === '' ? (
            <EmptyState icon="action" title="No actions of your own yet" action={make}>
              An action is something that agents can do: a URL that the service calls, or a function of a worker of
              yours.
            </EmptyState>
          ) : (
            <EmptyState icon="action" title="No action fits">
              Take a word away to see more.
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

function BuiltIn({ q, make, filters }: Parts) {
  const catalog = useRows(call('catalog', 'listActions'));
  const platform = catalog.rows.filter(({ source }) => source === 'platform');
  const found = useFound({ ...catalog, rows: platform }, q, textOf);
  const columns: Column<CatalogAction>[] = [
    nameColumn,
    { title: 'Risk', cell: ({ risk }) => <Badge tone={riskTone[risk]}>{risk}</Badge> },
    { title: 'Effects', wideOnly: true, cell: ({ annotations }) => <Effects annotations={annotations} /> },
    {
      title: 'Readiness',
      wideOnly: true,
      cell: ({ readiness }) => (
        <Badge tone={readiness === 'ready' ? 'good' : 'warn'}>{readiness.replace('_', ' ')}</Badge>
      ),
    },
  ];
  return (
    <Page title="Actions" call={catalog.call} actions={make}>
      {filters(null)}
      <Table
        label="Built-in actions"
        list={found}
        rowKey={({ name }) => name}
        columns={columns}
        empty={
          <EmptyState icon="action" title="No action fits">
            Take a word away to see more.
          </EmptyState>
        }
      />
    </Page>
  );
}

const riskTone = { low: 'good', medium: 'info', high: 'warn', critical: 'bad' } as const;

export function Effects({ annotations = {} }: { annotations: Action['annotations'] }) {
  const { read_only, destructive, idempotent } = annotations;
  const words = [read_only && 'read only', destructive && 'destructive', idempotent && 'may repeat'].filter(Boolean);
  return <span className={destructive ? 'text-bad' : 'text-muted'}>{words.join(', ') || 'not said'}</span>;
}
