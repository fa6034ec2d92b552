import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import type { Query, Schema } from '@aos/client';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { useAll } from '../../api/use-all';
import { useMe } from '../../api/permissions';
import { principalKinds } from '../../names/principal-kinds';
import { Badge, Button, CallShown, EmptyState, Select, Status, Switch, Table, Time, type Column } from '../../ui';
import { NewPrincipal } from './new-principal';

export type Principal = Schema<'Principal'>;

const columnsWith = (names: ReadonlyMap<string, string>, me: string): readonly Column<Principal>[] => [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <Link to="/access/principals/$id" params={{ id }} dir="auto" className="after:absolute after:inset-0">
        {name}
        {id === me && <span className="text-muted font-normal"> (you)</span>}
      </Link>
    ),
  },
  { title: 'Kind', cell: ({ kind }) => principalKinds[kind] ?? kind },
  { title: 'State', wideOnly: true, cell: ({ state }) => <Status value={state} /> },
  {
    title: 'Roles',
    wideOnly: true,
    cell: ({ role_ids: roles = [] }) => (
      <span className="flex flex-wrap gap-1">
        {roles.map((id) => (
          <Badge key={id}>{names.get(id) ?? id}</Badge>
        ))}
      </span>
    ),
  },
  { title: 'Made', wideOnly: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

export function useRoleNames(): ReadonlyMap<string, string> {
  const { rows } = useAll(call('roles', 'list', { limit: 100 }));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export function PrincipalsTab() {
  const [{ kind = '', disabled = '' }, setFilters] = useFilters();
  const { principal } = useMe();
  const [isMaking, setMaking] = useState(false);
  const names = useRoleNames();
  const principals = useRows(
    call('principals', 'list', {
      ...(kind && { kind: kind as Query<'listPrincipals'>['kind'] }),
      ...(disabled && { include_disabled: true }),
      limit: 50,
    }),
  );
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div role="search" aria-label="Filters" className="flex flex-wrap items-end gap-3">
          <Select
            label="Kind"
            className="w-40"
            value={kind}
            options={[
              { value: '', label: 'Any' },
              ...Object.entries(principalKinds).map(([value, label]) => ({ value, label })),
            ]}
            onChange={({ target }) => setFilters({ kind: target.value })}
          />
          <div className="flex h-8 items-center">
            <Switch
              label="Disabled ones too"
              checked={disabled !== ''}
              onChange={(on) => setFilters({ disabled: on ? 'yes' : '' })}
            />
          </div>
        </div>
        <div className="flex flex-wrap gap-2">
          <CallShown call={principals.call} />
          <Button look="primary" icon="plus" needs="svc.org.admin" onClick={() => setMaking(true)}>
            New principal
          </Button>
        </div>
      </div>
      <Table
        label="Principals"
        list={principals}
        rowKey={({ id }) => id}
        columns={columnsWith(names, principal.id)}
        empty={
          <EmptyState icon="access" title="No such principal">
            A principal is whom a key acts as: a person, an API client, a worker or an agent.
          </EmptyState>
        }
      />
      {isMaking && <NewPrincipal onClose={() => setMaking(false)} />}
    </div>
  );
}
