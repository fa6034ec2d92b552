import { call } from '../../../api/call';
import { useRows } from '../../../api/hooks';
import { PrincipalName } from '../../../names/name';
import { Badge, EmptyState, Table, Time } from '../../../ui';

/** The change feed of 30 days, oldest first, without what the entries said. */
export function MemoryChanges({ agentId }: { agentId: string }) {
  const changes = useRows(call('agents', 'listMemoryChanges', agentId, { limit: 100 }));
  return (
    <Table
      label="Changes"
      list={changes}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'Entry',
          cell: ({ memory_key: key, version }) => (
            <span>
              <bdi>{key}</bdi> <span className="text-muted font-normal">version {version}</span>
            </span>
          ),
        },
        { title: 'Change', cell: ({ operation }) => <Badge>{operation}</Badge> },
        { title: 'Why', wideOnly: true, cell: ({ reason }) => reason.replace(/_/g, ' ') },
        { title: 'By', wideOnly: true, cell: ({ actor_id }) => <PrincipalName id={actor_id} /> },
        { title: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      empty={
        <EmptyState icon="edit" title="No changes">
          What was remembered and forgotten within 30 days stands here, without its content.
        </EmptyState>
      }
    />
  );
}
