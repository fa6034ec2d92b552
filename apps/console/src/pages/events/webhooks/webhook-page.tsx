import { useState } from 'react';
import { useParams } from '@tanstack/react-router';
import { call } from '../../../api/call';
import { useItem } from '../../../api/hooks';
import { PrincipalName } from '../../../names/name';
import { Address, Badge, Card, Facts, Id, ItemView, Page, Status, Time } from '../../../ui';
import { Deliveries } from './deliveries';
import { EditWebhook } from './edit-webhook';
import { Redeliver } from './redeliver';
import { DeleteWebhook, WebhookActions } from './webhook-actions';
import type { Webhook } from './webhook-fields';

/** No event names what happens to a hook. */
const lookAgainMs = 10_000;

/** One web hook: where it sends what, what waits, and what was given up. */
export default function WebhookPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const hook = useItem(call('webhooks', 'get', id), { everyMs: lookAgainMs });
  const [open, setOpen] = useState<'edit' | 'delete' | 'redeliver' | null>(null);
  const close = (): void => setOpen(null);
  return (
    <Page
      title={hook.data?.description || (hook.data ? hostOf(hook.data.url) : 'Web hook')}
      back={{ to: '/events', search: { view: 'webhooks' }, label: 'Web hooks' }}
      lead={hook.data && <Status value={hook.data.status} />}
      call={hook.call}
      actions={hook.data && <WebhookActions of={hook.data} onOpen={setOpen} />}
    >
      <ItemView item={hook}>
        {(value) => (
          <>
            {value.disabled && <Disabled of={value.disabled} />}
            <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
              <Deliveries of={value} />
              <About of={value} />
            </div>
            {open === 'edit' && <EditWebhook of={value} onClose={close} />}
            {open === 'redeliver' && <Redeliver of={value} onClose={close} />}
            {open === 'delete' && <DeleteWebhook of={value} onClose={close} />}
          </>
        )}
      </ItemView>
    </Page>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

const reasons: Record<string, string> = {
  gone: 'the endpoint answered 410',
  down: 'the endpoint took nothing for 72 hours',
  fell_behind: 'it fell so far behind that the events are no longer kept',
};

function Disabled({ of: { reason, at } }: { of: NonNullable<Webhook['disabled']> }) {
  return (
    <p className="bg-warn-soft text-warn rounded-md px-3 py-2">
      Disabled <Time at={at} />: {reasons[reason] ?? reason.replace(/_/g, ' ')}. Enable it to go on.
    </p>
  );
}

function About({ of }: { of: Webhook }) {
  return (
    <Card title="About">
      <Facts
        facts={[
          ['Id', <Id key="id" value={of.id} short />],
          ['URL', <Address key="url" of={of.url} />],
          ['Events', <Words key="types" of={of.event_types} />],
          ['Sources', of.source_kinds ? <Words key="kinds" of={of.source_kinds} /> : 'all'],
          ['Made by', <PrincipalName key="by" id={of.created_by} />],
          ['Made', <Time key="made" at={of.created_at} form="whole" />],
          ['Changed', <Time key="changed" at={of.updated_at} />],
        ]}
      />
    </Card>
  );
}

function Words({ of }: { of: readonly string[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {of.map((word) => (
        <Badge key={word}>{word}</Badge>
      ))}
    </span>
  );
}
