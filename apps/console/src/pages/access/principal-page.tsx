import { useState } from 'react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useItem, useWrite } from '../../api/hooks';
import { useLacks, useMe } from '../../api/permissions';
import { AgentName, PrincipalName } from '../../names/name';
import {
  Button,
  CallShown,
  Card,
  DestroyByName,
  ErrorNote,
  Facts,
  Id,
  ItemView,
  JsonView,
  Menu,
  Page,
  Status,
  Time,
} from '../../ui';
import { KeyTable } from './key-table';
import { principalKinds } from '../../names/principal-kinds';
import type { Principal } from './principals-tab';
import { RoleChoices } from './role-choices';

/** One principal: whom it is, its roles and its keys. */
export default function PrincipalPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const principal = useItem(call('principals', 'get', id));
  const [isDeleting, setDeleting] = useState(false);
  const { data } = principal;
  return (
    <Page
      title={data?.name ?? 'Principal'}
      back={{ to: '/access', label: 'Access' }}
      lead={data && <Status value={data.state} />}
      call={principal.call}
      actions={data && <Actions of={data} onDelete={() => setDeleting(true)} />}
    >
      <ItemView item={principal}>
        {(value) => (
          <>
            <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
              <div className="flex min-w-0 flex-col gap-5">
                <Roles key={(value.role_ids ?? []).join()} of={value} />
                <Keys of={value} />
              </div>
              <About of={value} />
            </div>
            {isDeleting && <DeletePrincipal of={value} onClose={() => setDeleting(false)} />}
          </>
        )}
      </ItemView>
    </Page>
  );
}

/** An agent's principal goes with the agent, and the organization's own stays. */
function isManaged({ kind, state }: Principal): boolean {
  return kind !== 'agent' && kind !== 'system' && state !== 'deleted';
}

function Actions({ of, onDelete }: { of: Principal; onDelete: () => void }) {
  const changing = call('principals', 'update', of.id, { state: of.state === 'active' ? 'disabled' : 'active' });
  const change = useWrite(() => changing, { done: ({ state }) => (state === 'active' ? 'Enabled' : 'Disabled') });
  if (!isManaged(of)) return null;
  return (
    <>
      {change.error && (
        <div className="order-last basis-full">
          <ErrorNote error={change.error} />
        </div>
      )}
      <Button needs={changing} busy={change.isPending} onClick={() => change.mutate(undefined)}>
        {of.state === 'active' ? 'Disable' : 'Enable'}
      </Button>
      <Menu
        label="More"
        items={[
          {
            label: 'Delete…',
            icon: 'trash',
            danger: true,
            needs: call('principals', 'delete', of.id),
            onSelect: onDelete,
          },
        ]}
      />
    </>
  );
}

function Roles({ of }: { of: Principal }) {
  const stored = of.role_ids ?? [];
  const [roles, setRoles] = useState<readonly string[]>(stored);
  const saving = call('principals', 'update', of.id, { role_ids: [...roles] });
  const save = useWrite(() => saving, { done: 'Saved', changes: ['roleAssignments', 'me'] });
  const lacks = useLacks(saving);
  const isChanged = [...roles].sort().join() !== [...stored].sort().join();
  return (
    <Card title="Roles">
      <div className="flex flex-col gap-4">
        <RoleChoices chosen={roles} onChange={setRoles} disabled={lacks !== null || of.kind === 'system'} />
        {of.kind === 'agent' && roles.length === 0 && (
          <p className="text-muted text-xs">Without a role an agent has the role Agent.</p>
        )}
        {of.kind === 'system' && (
          <p className="text-muted text-xs">The organization's own principal is capped by the role of each key.</p>
        )}
        {save.error && <ErrorNote error={save.error} />}
        {of.kind !== 'system' && (
          <div className="flex flex-wrap items-center justify-between gap-2">
            <CallShown call={saving} />
            <Button
              look="primary"
              needs={saving}
              disabled={!isChanged}
              busy={save.isPending}
              onClick={() => save.mutate(undefined)}
            >
              Save roles
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}

function Keys({ of }: { of: Principal }) {
  return (
    <section aria-label="Keys" className="flex flex-col gap-3">
      <h2 className="font-semibold">Keys</h2>
      <KeyTable principalId={of.id} />
    </section>
  );
}

function About({ of }: { of: Principal }) {
  const { principal } = useMe();
  return (
    <Card title="About">
      <div className="flex flex-col gap-3">
        {of.description && (
          <p dir="auto" className="break-words whitespace-pre-wrap">
            {of.description}
          </p>
        )}
        <Facts
          facts={[
            ['Id', <Id key="id" value={of.id} short />],
            ['Kind', principalKinds[of.kind] ?? of.kind],
            of.id === principal.id ? ['This is', 'you'] : null,
            of.kind === 'agent' ? ['Agent', <AgentName key="agent" id={of.id} />] : null,
            of.handle ? ['Handle', <bdi key="handle">{of.handle}</bdi>] : null,
            of.email ? ['Email', <bdi key="email">{of.email}</bdi>] : null,
            of.owner_id ? ['Answers for it', <PrincipalName key="owner" id={of.owner_id} />] : null,
            ['Made', <Time key="made" at={of.created_at} form="whole" />],
            ['Changed', <Time key="changed" at={of.updated_at} />],
          ]}
        />
        {of.metadata && Object.keys(of.metadata).length > 0 && <JsonView label="Metadata" value={of.metadata} />}
      </div>
    </Card>
  );
}

function DeletePrincipal({ of, onClose }: { of: Principal; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <DestroyByName
      onClose={onClose}
      title="Delete this principal"
      name={of.name}
      consequence="It cannot be used again; the audit log keeps it. Revoke its keys first."
      call={call('principals', 'delete', of.id)}
      done={`${of.name} was deleted`}
      onDone={() => void navigate({ to: '/access' })}
    />
  );
}
