import type { Schema } from '@aos/client';
import { call } from '../../../api/call';
import { useRows, useWrite } from '../../../api/hooks';
import { useAgain } from '../../../api/use-again';
import { CallShown, Card, EmptyState, ErrorNote, IconButton, Id, Status, Table, Time, type Column } from '../../../ui';
import type { Webhook } from './webhook-fields';

type Delivery = Schema<'WebhookDelivery'>;

/** Deliveries leave no event of their own. */
const lookAgainMs = 5_000;

/** What waits for delivery, then what was given up. */
export function Deliveries({ of }: { of: Webhook }) {
  const deliveries = useRows(call('webhooks', 'listDeliveries', of.id));
  useAgain(deliveries.lacks === null, deliveries.reload, lookAgainMs);
  const redelivering = (eventId: string) => call('webhooks', 'redeliverEvents', of.id, { event_id: eventId });
  const redeliver = useWrite(redelivering, { done: 'The event is sent again' });
  const columns: readonly Column<Delivery>[] = [
    {
      title: 'Event',
      cell: (delivery) => (
        <>
          <Id value={delivery.event_id} />
          <span className="text-muted block truncate text-xs font-normal md:hidden">
            {delivery.tries === 1 ? '1 try' : `${delivery.tries} tries`}, <LastAnswer of={delivery} />
          </span>
        </>
      ),
    },
    { title: 'Status', cell: ({ status }) => <Status value={status} /> },
    { title: 'Tries', align: 'right', wideOnly: true, cell: ({ tries }) => String(tries) },
    { title: 'Last answer', wideOnly: true, cell: (delivery) => <LastAnswer of={delivery} /> },
    { title: 'Next try', wideOnly: true, cell: (delivery) => <NextTry of={delivery} /> },
    {
      title: '',
      align: 'right',
      cell: ({ event_id: id, status }) =>
        status === 'given_up' && (
          <IconButton
            label={`Send ${id} again`}
            icon="refresh"
            needs={redelivering(id)}
            disabled={of.status !== 'active'}
            busy={redeliver.isPending}
            onClick={() => redeliver.mutate(id)}
          />
        ),
    },
  ];
  return (
    <Card title="Deliveries" flush actions={<CallShown call={deliveries.call} />}>
      {redeliver.error && (
        <div className="p-4 pb-0">
          <ErrorNote error={redeliver.error} />
        </div>
      )}
      <Table
        bare
        label="Deliveries"
        list={deliveries}
        rowKey={({ event_id: id, status }) => `${id} ${status}`}
        columns={columns}
        empty={
          <EmptyState icon="check" title="Nothing waits">
            What the endpoint took is not listed. What waits for another try stands here, and what was given up.
          </EmptyState>
        }
      />
    </Card>
  );
}

function LastAnswer({ of: { last_status: status, last_error: error } }: { of: Delivery }) {
  if (status) return `HTTP ${status}`;
  return error ? error.replace(/_/g, ' ') : <span className="text-muted">none yet</span>;
}

function NextTry({ of: { status, next_at: at } }: { of: Delivery }) {
  if (at) return <Time at={at} />;
  return <span className="text-muted whitespace-nowrap">{status === 'given_up' ? 'none' : 'when it is back'}</span>;
}
