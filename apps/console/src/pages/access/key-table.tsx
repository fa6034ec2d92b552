import { useState } from 'react';
import type { Schema } from '@aos/client';
import { call } from '../../api/call';
import { useRows } from '../../api/hooks';
import { useMe } from '../../api/permissions';
import { useAll } from '../../api/use-all';
import { PrincipalName } from '../../names/name';
import { type Column, DestroyByName, EmptyState, IconButton, Status, Table, Time } from '../../ui';
import { useRoleNames } from './principals-tab';

type ApiKey = Schema<'APIKey'>;

/** Keys that work, of all principals or of one, and a button to revoke each. */
export function KeyTable({ principalId }: { principalId?: string }) {
  const keys = call('apiKeys', 'list', { limit: 100 });
  const page = useRows(keys, { enabled: principalId === undefined });
  const all = useAll(keys, { enabled: principalId !== undefined });
  const roles = useRoleNames();
  const { api_key: own } = useMe();
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const list =
    principalId === undefined
      ? page
      : { ...page, ...all, rows: all.rows.filter((one) => one.principal_id === principalId) };
  const columns: readonly Column<ApiKey>[] = [
    { title: 'Name', cell: (key) => <KeyName of={key} isOwn={key.id === own.id} /> },
    ...(principalId === undefined
      ? [{ title: 'Acts as', wideOnly: true, cell: (key: ApiKey) => <PrincipalName id={key.principal_id} /> }]
      : []),
    {
      title: 'Capped by',
      wideOnly: true,
      cell: ({ scope_role_id: role, org_role: cap }) => (role ? (roles.get(role) ?? role) : (cap ?? '')),
    },
    {
      title: 'Expires',
      cell: ({ expires_at: at }) => (at ? <Expiry at={at} /> : <span className="text-muted">never</span>),
    },
    {
      title: 'Last used',
      wideOnly: true,
      cell: ({ last_used_at: at }) => (at ? <Time at={at} /> : <span className="text-muted">never</span>),
    },
    {
      title: '',
      align: 'right',
      cell: (key) => (
        <IconButton
          label={`Revoke ${key.name}`}
          icon="trash"
          needs={call('apiKeys', 'delete', key.id)}
          onClick={() => setRevoked(key)}
        />
      ),
    },
  ];
  return (
    <>
      <Table
        label="Keys"
        list={list}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          <EmptyState icon="access" title="No keys">
            A key lets a program or a person call the service as a principal.
          </EmptyState>
        }
      />
      {revoked && <RevokeKey of={revoked} isOwn={revoked.id === own.id} onClose={() => setRevoked(null)} />}
    </>
  );
}

function KeyName({ of: { name, key_prefix: prefix }, isOwn }: { of: ApiKey; isOwn: boolean }) {
  return (
    <>
      <bdi>{name}</bdi>
      {isOwn && <span className="text-muted font-normal"> (this tab)</span>}
      <code className="text-muted block truncate font-mono text-xs font-normal">{prefix}…</code>
    </>
  );
}

function Expiry({ at }: { at: string }) {
  return Date.parse(at) < Date.now() ? <Status value="expired" /> : <Time at={at} />;
}

function RevokeKey({ of, isOwn, onClose }: { of: ApiKey; isOwn: boolean; onClose: () => void }) {
  const consequence = 'What uses it is refused from now on, and its open streams end. This cannot be undone.';
  return (
    <DestroyByName
      onClose={onClose}
      title="Revoke this key"
      name={of.name}
      verb="Revoke"
      consequence={isOwn ? `${consequence} This tab uses it and is logged out.` : consequence}
      call={call('apiKeys', 'delete', of.id)}
      done={`${of.name} was revoked`}
      onDone={onClose}
    />
  );
}
