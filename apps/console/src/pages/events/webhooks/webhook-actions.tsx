import { useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { Reply } from '@aos/client';
import { call } from '../../../api/call';
import { useWrite } from '../../../api/hooks';
import { Button, DestroyByName, ErrorNote, Menu, SecretShown } from '../../../ui';
import type { Webhook } from './webhook-fields';
import { secretOfWebhook } from './webhook-secret';

type Opened = 'edit' | 'delete' | 'redeliver';

/** A test event, enabling, a new secret; changing and deleting. */
export function WebhookActions({ of, onOpen }: { of: Webhook; onOpen: (what: Opened) => void }) {
  const [secret, setSecret] = useState<string | null>(null);
  const pinging = call('webhooks', 'ping', of.id);
  const rotating = call('webhooks', 'rotateSecret', of.id);
  const enabling = (body: { from?: 'latest' }) => call('webhooks', 'enable', of.id, body);
  const ping = useWrite((_: null) => pinging, { done: answerText });
  const enable = useWrite(enabling, { done: 'Enabled' });
  const rotate = useWrite((_: null) => rotating, {
    done: 'The secret before signs beside the new one for 24 hours.',
    onDone: ({ signing_secret }) => setSecret(signing_secret),
  });
  const failed = ping.error ?? enable.error ?? rotate.error;
  const isActive = of.status === 'active';
  const needs = 'svc.org.admin';
  return (
    <>
      {failed && (
        <div className="order-last basis-full">
          <ErrorNote error={failed} />
        </div>
      )}
      <span className="order-last basis-full text-right text-xs empty:hidden" role="status">
        {ping.data && answerText(ping.data)}
      </span>
      <Button icon="send" needs={pinging} busy={ping.isPending} onClick={() => ping.mutate(null)}>
        {ping.isPending ? 'Waiting…' : 'Send a test'}
      </Button>
      {!isActive && (
        <Button look="primary" needs={needs} busy={enable.isPending} onClick={() => enable.mutate({})}>
          Enable
        </Button>
      )}
      <Menu
        label="More"
        items={[
          { label: 'Edit…', icon: 'edit', needs, onSelect: () => onOpen('edit') },
          ...(isActive
            ? [{ label: 'Send events again…', icon: 'refresh' as const, needs, onSelect: () => onOpen('redeliver') }]
            : [{ label: 'Enable from now on', needs, onSelect: () => enable.mutate({ from: 'latest' }) }]),
          { label: 'Rotate the secret', icon: 'access', needs, onSelect: () => rotate.mutate(null) },
          { label: 'Delete…', icon: 'trash', danger: true, needs, onSelect: () => onOpen('delete') },
        ]}
      />
      {secret !== null && <SecretShown text={secret} description={secretOfWebhook} onClose={() => setSecret(null)} />}
    </>
  );
}

function answerText({ status, error }: Reply<'pingWebhook'>): string {
  if (status !== undefined) return `The endpoint answered ${status}.`;
  return `The endpoint did not answer: ${(error ?? 'unknown').replace(/_/g, ' ')}.`;
}

export function DeleteWebhook({ of, onClose }: { of: Webhook; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <DestroyByName
      onClose={onClose}
      title="Delete this web hook"
      name={of.url}
      consequence="It sends nothing any more, and what waits is dropped. Its secret is erased."
      call={call('webhooks', 'delete', of.id)}
      done="The web hook was deleted"
      onDone={() => void navigate({ to: '/events', search: { view: 'webhooks' } as never })}
    />
  );
}
