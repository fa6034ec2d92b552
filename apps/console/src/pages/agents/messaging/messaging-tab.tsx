import { useState } from 'react';
import type { Schema } from '@aos/client';
import { call } from '../../../api/call';
import { useRows } from '../../../api/hooks';
import { useAll } from '../../../api/use-all';
import { Button, CallShown, DestroyByName, EmptyState, IconButton, Status, Table, type Column } from '../../../ui';
import { BindingDialog } from './binding-dialog';
import { answersText, providerText, type Binding } from './binding-draft';

type Agent = Schema<'Agent'>;

interface Parts {
  agentId: string;
  nameOf: (binding: Binding) => string;
  onEdit: (binding: Binding) => void;
  onDelete: (binding: Binding) => void;
}

const columnsWith = ({ agentId, nameOf, onEdit, onDelete }: Parts): readonly Column<Binding>[] => [
  {
    title: 'Account',
    cell: (binding) => (
      <button
        type="button"
        className="max-w-full truncate text-left align-bottom after:absolute after:inset-0"
        onClick={() => onEdit(binding)}
      >
        {providerText(binding.provider)} <bdi className="text-muted font-normal">{nameOf(binding)}</bdi>
      </button>
    ),
  },
  { title: 'Status', cell: ({ enabled }) => <Status value={enabled ? 'active' : 'disabled'} /> },
  { title: 'Answers', wideOnly: true, cell: answersText },
  {
    title: '',
    align: 'right',
    cell: (binding) => (
      <IconButton
        className="relative"
        label={`Take ${providerText(binding.provider)} away`}
        icon="trash"
        needs={call('agents', 'deleteMessagingBinding', agentId, binding.id)}
        onClick={() => onDelete(binding)}
      />
    ),
  },
];

/** The accounts that an agent answers messages from. */
export function MessagingTab({ agent }: { agent: Agent }) {
  const bindings = useRows(call('agents', 'listMessagingBindings', agent.id));
  const connections = useAll(call('connections', 'list', { limit: 100 }));
  const [edited, setEdited] = useState<Binding | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Binding | null>(null);
  const nameOf = ({ integration_id: id }: Binding): string =>
    connections.rows.find((connection) => connection.id === id)?.name ?? id;
  const make = (
    <Button icon="plus" needs="svc.resource.build" onClick={() => setEdited('new')}>
      Answer from an account
    </Button>
  );
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap justify-end gap-2">
        <CallShown call={bindings.call} />
        {make}
      </div>
      <Table
        label="Messaging"
        list={bindings}
        rowKey={({ id }) => id}
        columns={columnsWith({ agentId: agent.id, nameOf, onEdit: setEdited, onDelete: setDeleted })}
        empty={
          <EmptyState icon="sessions" title="It answers no messages yet">
            An agent answers messages and mail from an account of the team: a connection that grants it.
          </EmptyState>
        }
      />
      {edited !== null && (
        <BindingDialog
          agent={agent}
          of={edited === 'new' ? null : edited}
          connections={connections.rows}
          onClose={() => setEdited(null)}
        />
      )}
      {deleted && (
        <DestroyByName
          onClose={() => setDeleted(null)}
          title="Answer no more from this account"
          verb="Take away"
          name={nameOf(deleted)}
          consequence="Messages of this account start no turn any more. Sessions that it opened are kept."
          call={call('agents', 'deleteMessagingBinding', agent.id, deleted.id)}
          done="It answers no more from there"
          onDone={() => setDeleted(null)}
        />
      )}
    </div>
  );
}
