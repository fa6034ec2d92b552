import { useState } from 'react';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows, useWrite, type Rows } from '../../api/hooks';
import {
  Badge,
  Button,
  CallShown,
  Card,
  DestroyByName,
  EmptyState,
  ErrorNote,
  Menu,
  Page,
  Switch,
  Table,
} from '../../ui';
import { ApplyDialog } from './apply-dialog';
import { blueprintsOf, pageOf, titleOf, type Binding, type Blueprint } from './blueprint-groups';
import { Protection } from './blueprints-page';
import { useNames } from './use-names';

export default function BlueprintPage() {
  const { id: key = '' } = useParams({ strict: false }) as { id?: string };
  const [{ namespace }] = useFilters();
  const of = call('blueprints', 'listBindings', { blueprint_key: key, namespace });
  const list = useRows(of);
  const rows = list.rows.filter((binding) => binding.namespace === namespace);
  const [blueprint] = blueprintsOf(rows);
  return (
    <Page
      title={titleOf({ namespace, key })}
      back={{ to: '/blueprints', label: 'Blueprints' }}
      lead={blueprint && <Lead blueprint={blueprint} />}
      call={of}
      actions={blueprint && <Actions keyText={key} blueprint={blueprint} />}
    >
      <Bindings list={{ ...list, rows }} />
      {blueprint && <ProtectionCard keyText={key} blueprint={blueprint} />}
    </Page>
  );
}

function Lead({ blueprint }: { blueprint: Blueprint }) {
  return (
    <>
      {blueprint.version !== undefined && <Badge>version {blueprint.version}</Badge>}
      {blueprint.protection !== 'none' && <Protection of={blueprint.protection} />}
    </>
  );
}

/** The resources that the blueprint manages. */
function Bindings({ list }: { list: Rows<Binding> }) {
  const names = useNames();
  return (
    <Table
      label="Resources"
      list={list}
      rowKey={({ resource_type, key }) => `${resource_type} ${key}`}
      columns={[
        {
          title: 'Resource',
          cell: ({ resource_type: type, resource_id: id, key }) => (
            <Link to={pageOf(type, id, names.get(id))} className="after:absolute after:inset-0">
              <bdi>{names.get(id) ?? key}</bdi> <span className="text-muted font-normal">as {key}</span>
            </Link>
          ),
        },
        { title: 'Kind', cell: ({ resource_type }) => <Badge>{resource_type}</Badge> },
        {
          title: 'When destroyed',
          wideOnly: true,
          cell: ({ delete_on_destroy }) => (delete_on_destroy ? 'deleted' : 'kept: it was taken over'),
        },
        { title: 'Version', wideOnly: true, cell: ({ blueprint_version }) => blueprint_version ?? '' },
        {
          title: 'Protection',
          wideOnly: true,
          cell: (binding) => <Protection of={binding.protected ? 'all' : 'none'} />,
        },
      ]}
      empty={
        <EmptyState icon="blueprint" title="This blueprint manages nothing">
          It was destroyed, or was never applied here.
        </EmptyState>
      }
    />
  );
}

function queryOf({ namespace }: Blueprint): { namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}

function ProtectionCard({ keyText, blueprint }: { keyText: string; blueprint: Blueprint }) {
  const next = blueprint.protection !== 'all';
  const callFor = (held: boolean) =>
    call('blueprints', 'setProtection', keyText, { protected: held }, queryOf(blueprint));
  const write = useWrite(callFor, { done: (_, held) => (held ? 'Protected' : 'The protection was lifted') });
  return (
    <Card title="Protection" actions={<CallShown call={callFor(next)} />}>
      <div className="flex flex-col gap-3">
        <p className="text-muted max-w-2xl">
          While it is protected, its resources change only by applying it: changes and deletion of them are refused, and
          so is destroying it.
        </p>
        <Button className="self-start" needs={callFor(next)} busy={write.isPending} onClick={() => write.mutate(next)}>
          {next ? 'Protect' : 'Lift the protection'}
        </Button>
        {write.error && <ErrorNote error={write.error} />}
      </div>
    </Card>
  );
}

function Actions({ keyText, blueprint }: { keyText: string; blueprint: Blueprint }) {
  const [open, setOpen] = useState<'apply' | 'destroy' | null>(null);
  const start = `${blueprint.namespace === undefined ? '' : `namespace: ${JSON.stringify(blueprint.namespace)}\n`}blueprint_key: ${JSON.stringify(keyText)}\nresources: {}\n`;
  return (
    <>
      <Button look="primary" needs="svc.resource.build" onClick={() => setOpen('apply')}>
        Apply a new version
      </Button>
      <Menu
        label="More"
        items={[
          {
            label: 'Destroy…',
            icon: 'trash',
            danger: true,
            needs: call('blueprints', 'delete', keyText),
            onSelect: () => setOpen('destroy'),
          },
        ]}
      />
      {open === 'apply' && <ApplyDialog text={start} onClose={() => setOpen(null)} />}
      {open === 'destroy' && <Destroy keyText={keyText} blueprint={blueprint} onClose={() => setOpen(null)} />}
    </>
  );
}

function Destroy({ keyText, blueprint, onClose }: { keyText: string; blueprint: Blueprint; onClose: () => void }) {
  const navigate = useNavigate();
  const [all, setAll] = useState(false);
  const of = call('blueprints', 'delete', keyText, {
    ...queryOf(blueprint),
    ...(all ? { delete_retained: true } : {}),
  });
  const made = blueprint.bindings.filter(({ delete_on_destroy }) => delete_on_destroy).length;
  const kept = blueprint.bindings.length - made;
  return (
    <DestroyByName
      onClose={onClose}
      title="Destroy this blueprint"
      name={keyText}
      verb="Destroy"
      consequence={
        <span className="flex flex-col gap-3">
          <span>
            {all ? blueprint.bindings.length : made} resources are deleted, tables with their rows.
            {!all && kept > 0 && ` ${kept} that it took over are kept.`}
          </span>
          {kept > 0 && <Switch label="Delete those that it took over too" checked={all} onChange={setAll} />}
        </span>
      }
      call={of}
      done={({ deleted, retained }) => `${deleted.length} resources were deleted, ${retained.length} kept`}
      changes={['agents', 'skills', 'actions', 'tables', 'catalog']}
      onDone={() => void navigate({ to: '/blueprints' })}
    />
  );
}
