import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { Badge, Button, EmptyState, Page, Table } from '../../ui';
import { SearchField } from '../definitions/search-field';
import { ApplyDialog } from './apply-dialog';
import { example } from './blueprint-document';
import { blueprintsOf, titleOf, type Blueprint } from './blueprint-groups';

export default function BlueprintsPage() {
  const [{ q = '' }, setFilters] = useFilters();
  const [isApplying, setApplying] = useState(false);
  const bindings = useRows(call('blueprints', 'listBindings'));
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const all = blueprintsOf(bindings.rows).filter((one) => {
    const text = `${titleOf(one)} ${one.bindings.map(({ key }) => key).join(' ')}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const apply = (
    <Button look="primary" icon="plus" needs="svc.resource.build" onClick={() => setApplying(true)}>
      Apply a blueprint
    </Button>
  );
  return (
    <Page title="Blueprints" call={bindings.call} actions={apply}>
      <SearchField label="Search namespace, key, resources" value={q} onChange={(text) => setFilters({ q: text })} />
      <Table
        label="Blueprints"
        list={{ ...bindings, rows: all }}
        rowKey={titleOf}
        columns={[
          { title: 'Blueprint', cell: (one) => <Name blueprint={one} /> },
          { title: 'Resources', align: 'right', cell: (one) => one.bindings.length },
          {
            title: 'Version',
            wideOnly: true,
            cell: ({ version }) => version ?? <span className="text-muted">none</span>,
          },
          { title: 'Protection', cell: ({ protection }) => <Protection of={protection} /> },
        ]}
        empty={
          q === '' ? (
            <EmptyState icon="blueprint" title="No blueprints yet" action={apply}>
              A blueprint is one document that says which agents, skills, actions and tables there are. Applying it
              again changes only what differs.
            </EmptyState>
          ) : (
            <EmptyState icon="blueprint" title="No blueprint fits">
              Take a word away to see more.
            </EmptyState>
          )
        }
      />
      {isApplying && <ApplyDialog text={example} onClose={() => setApplying(false)} />}
    </Page>
  );
}

function Name({ blueprint }: { blueprint: Blueprint }) {
  const { key, namespace } = blueprint;
  if (key === undefined) return <span className="text-muted">{titleOf(blueprint)}</span>;
  return (
    <Link
      to={`/blueprints/${encodeURIComponent(key)}`}
      search={(namespace === undefined ? {} : { namespace }) as never}
      className="after:absolute after:inset-0"
    >
      <bdi>{titleOf(blueprint)}</bdi>
    </Link>
  );
}

export function Protection({ of }: { of: Blueprint['protection'] }) {
  if (of === 'none') return <span className="text-muted">none</span>;
  return <Badge tone={of === 'all' ? 'good' : 'warn'}>{of === 'all' ? 'protected' : 'in part'}</Badge>;
}
