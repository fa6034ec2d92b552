import { useState } from 'react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { call } from '../../../api/call';
import { useItem } from '../../../api/hooks';
import { Address, Button, Card, DestroyByName, Facts, Id, ItemView, Menu, Page, Status, Time } from '../../../ui';
import { AuthorizationReturn } from './authorization-return';
import { AuthorizeConnection } from './authorize-connection';
import { isAuthorized, kindText, type Connection } from './connection-draft';
import { EditConnection } from './edit-connection';
import { GrantsCard } from './grants-card';
import { RotateConnection } from './rotate-connection';

type Opened = 'edit' | 'rotate' | 'delete';

/** One connection: where its secret may go, who may use it, and what a grant covers. */
export default function ConnectionPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const connection = useItem(call('connections', 'get', id));
  const [open, setOpen] = useState<Opened | null>(null);
  const close = (): void => setOpen(null);
  const { data } = connection;
  return (
    <Page
      title={data?.name ?? 'Connection'}
      back={{ to: '/access', search: { view: 'connections' }, label: 'Connections' }}
      lead={data && <Status value={data.status} />}
      call={connection.call}
      actions={data && <Actions of={data} onOpen={setOpen} />}
    >
      <ItemView item={connection}>
        {(value) => (
          <>
            <AuthorizationReturn connectionId={value.id} />
            <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
              <div className="flex min-w-0 flex-col gap-5">
                <GrantsCard key={value.updated_at} of={value} needs={neededFor(value)} />
              </div>
              <About of={value} />
            </div>
            {open === 'edit' && <EditConnection of={value} onClose={close} />}
            {open === 'rotate' && <RotateConnection of={value} onClose={close} />}
            {open === 'delete' && <DeleteConnection of={value} onClose={close} />}
          </>
        )}
      </ItemView>
    </Page>
  );
}

/** What it takes to change it. */
function neededFor({ owner }: Connection): string {
  return owner.kind === 'team' ? 'svc.org.admin' : 'svc.resource.use';
}

function Actions({ of, onOpen }: { of: Connection; onOpen: (what: Opened) => void }) {
  const needs = neededFor(of);
  return (
    <>
      {isAuthorized(of.kind) ? (
        <AuthorizeConnection of={of} />
      ) : (
        <Button icon="access" needs={needs} onClick={() => onOpen('rotate')}>
          Replace the secret
        </Button>
      )}
      <Menu
        label="More"
        items={[
          { label: 'Edit…', icon: 'edit', needs, onSelect: () => onOpen('edit') },
          { label: 'Delete…', icon: 'trash', danger: true, needs, onSelect: () => onOpen('delete') },
        ]}
      />
    </>
  );
}

function About({ of }: { of: Connection }) {
  const code = (text: string) => <code className="font-mono text-xs break-all">{text}</code>;
  return (
    <Card title="About">
      <Facts
        facts={[
          ['Id', <Id key="id" value={of.id} short />],
          ['Kind', kindText(of.kind)],
          of.provider ? ['Provider', of.provider] : null,
          ['Owner', of.owner.kind === 'team' ? 'team' : 'you'],
          of.url ? ['URL', <Address key="url" of={of.url} />] : null,
          [
            'Goes to',
            <ul key="hosts" aria-label="Hosts">
              {of.hosts.map((host) => (
                <li key={host}>
                  <Address of={host} />
                </li>
              ))}
            </ul>,
          ],
          of.header ? ['Header', code(of.header)] : null,
          of.format ? ['Form', code(of.format)] : null,
          of.client_id ? ['Client id', code(of.client_id)] : null,
          of.token_endpoint ? ['Token endpoint', <Address key="token" of={of.token_endpoint} />] : null,
          of.username ? ['User name', code(of.username)] : null,
          of.headers ? ['Headers', code(of.headers.join(', '))] : null,
          [
            'Secret',
            <span key="secret" className="text-muted">
              sealed, never shown
            </span>,
          ],
          ['Made', <Time key="made" at={of.created_at} form="whole" />],
          ['Changed', <Time key="changed" at={of.updated_at} />],
        ]}
      />
    </Card>
  );
}

function DeleteConnection({ of, onClose }: { of: Connection; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <DestroyByName
      onClose={onClose}
      title="Delete this connection"
      name={of.name}
      consequence="Its secret is erased. Actions and messages that go out with it fail from now on."
      call={call('connections', 'delete', of.id)}
      done={`${of.name} was deleted`}
      changes={['agents', 'routines']}
      onDone={() => void navigate({ to: '/access', search: { view: 'connections' } as never })}
    />
  );
}
