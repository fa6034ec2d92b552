import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import { call } from '../../../api/call';
import { useRows } from '../../../api/hooks';
import { Badge, Button, CallShown, EmptyState, Status, Table, Time, type Column } from '../../../ui';
import { NewWebhook } from './new-webhook';
import type { Webhook } from './webhook-fields';

const shownTypes = 3;

const columns: readonly Column<Webhook>[] = [
  {
    title: 'URL',
    cell: ({ id, url, description }) => (
      <>
        <Link to="/events/webhooks/$id" params={{ id }} className="after:absolute after:inset-0">
          {url}
        </Link>
        {description && (
          <bdi className="text-muted block truncate text-xs font-normal" dir="auto">
            {description}
          </bdi>
        )}
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status value={status} /> },
  { title: 'Events', wideOnly: true, cell: ({ event_types: types }) => <Types of={types} /> },
  { title: 'Made', wideOnly: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

function Types({ of }: { of: readonly string[] }) {
  return (
    <span className="flex flex-wrap gap-1" title={of.join(', ')}>
      {of.slice(0, shownTypes).map((type) => (
        <Badge key={type}>{type}</Badge>
      ))}
      {of.length > shownTypes && <span className="text-muted text-xs">and {of.length - shownTypes} more</span>}
    </span>
  );
}

/** Endpoints that get events as they happen. */
export function WebhooksTab() {
  const hooks = useRows(call('webhooks', 'list', { limit: 50 }));
  const [isMaking, setMaking] = useState(false);
  const make = (
    <Button look="primary" icon="plus" needs="svc.org.admin" onClick={() => setMaking(true)}>
      New web hook
    </Button>
  );
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap justify-end gap-2">
        <CallShown call={hooks.call} />
        {make}
      </div>
      <Table
        label="Web hooks"
        list={hooks}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          <EmptyState icon="send" title="No web hooks yet">
            A web hook sends events to an address of yours as they happen, signed, and again until they are taken.
          </EmptyState>
        }
      />
      {isMaking && <NewWebhook onClose={() => setMaking(false)} />}
    </div>
  );
}
