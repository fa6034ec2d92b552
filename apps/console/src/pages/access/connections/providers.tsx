import { useState } from 'react';
import type { Schema } from '@aos/client';
import { call } from '../../../api/call';
import { useRows } from '../../../api/hooks';
import { Badge, Button, CallShown, Card, DestroyByName, EmptyState, IconButton, Table } from '../../../ui';
import { kindText } from './connection-draft';
import { ProviderDialog } from './provider-dialog';

type ProviderSummary = Schema<'ProviderSummary'>;

/** The organization's OAuth clients at outside services: accounts are authorized at them. */
export function Providers() {
  const providers = useRows(call('connections', 'listProviders', { limit: 100 }));
  const [edited, setEdited] = useState<string | null>(null);
  const [deleted, setDeleted] = useState<string | null>(null);
  return (
    <Card
      title="Providers"
      flush
      actions={
        <span className="flex flex-wrap gap-2">
          <CallShown call={providers.call} />
          <Button icon="plus" needs="svc.org.admin" onClick={() => setEdited('')}>
            New provider
          </Button>
        </span>
      }
    >
      <Table
        bare
        label="Providers"
        list={providers}
        rowKey={({ provider }) => provider}
        columns={[
          { title: 'Provider', cell: ({ provider }) => <bdi>{provider}</bdi> },
          { title: 'Kinds', wideOnly: true, cell: (provider) => <Kinds of={provider} /> },
          {
            title: '',
            align: 'right',
            cell: ({ provider }) => (
              <span className="inline-flex">
                <IconButton
                  label={`Edit ${provider}`}
                  icon="edit"
                  needs={call('connections', 'getProvider', provider)}
                  onClick={() => setEdited(provider)}
                />
                <IconButton
                  label={`Delete ${provider}`}
                  icon="trash"
                  needs={call('connections', 'deleteProvider', provider)}
                  onClick={() => setDeleted(provider)}
                />
              </span>
            ),
          },
        ]}
        empty={
          <EmptyState icon="external" title="No providers yet">
            A provider is your OAuth client at an outside service: people authorize their accounts there.
          </EmptyState>
        }
      />
      {edited !== null && <ProviderDialog provider={edited} onClose={() => setEdited(null)} />}
      {deleted !== null && (
        <DestroyByName
          onClose={() => setDeleted(null)}
          title="Delete this provider"
          name={deleted}
          consequence="Its client's secret is erased. Connections that were authorized at it need to be authorized anew."
          call={call('connections', 'deleteProvider', deleted)}
          done={`${deleted} was deleted`}
          onDone={() => setDeleted(null)}
        />
      )}
    </Card>
  );
}

function Kinds({ of: { kinds } }: { of: ProviderSummary }) {
  return (
    <span className="flex flex-wrap gap-1">
      {kinds.map((kind) => (
        <Badge key={kind}>{kindText(kind)}</Badge>
      ))}
    </span>
  );
}
