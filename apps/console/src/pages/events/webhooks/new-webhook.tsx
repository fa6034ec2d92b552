import { useState, type FormEvent } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../../api/call';
import { useCheckedWrite } from '../../../api/checked-write';
import { Dialog, FormEnd, SecretShown } from '../../../ui';
import { WebhookFields, type WebhookBody } from './webhook-fields';
import { secretOfWebhook } from './webhook-secret';

/** Makes a web hook and shows its secret once. It stays in this window and goes with it. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [body, setBody] = useState<WebhookBody>({ url: '', event_types: [] });
  const [made, setMade] = useState<{ id: string; secret: string } | null>(null);
  const create = useCheckedWrite('WebhookCreateRequest', (given: WebhookBody) => call('webhooks', 'create', given), {
    done: 'The web hook was made',
    onDone: ({ id, signing_secret }) => setMade({ id, secret: signing_secret }),
  });
  if (made !== null)
    return (
      <SecretShown
        text={made.secret}
        description={secretOfWebhook}
        onClose={() => void navigate({ to: '/events/webhooks/$id', params: { id: made.id } })}
      />
    );
  const close = (): void => {
    if (!create.isPending) onClose(); // its secret would be shown to nobody
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.submit(body);
  };
  return (
    <Dialog
      open
      onClose={close}
      title="New web hook"
      description="It gets events from now on that all of the organization may read."
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <WebhookFields
          body={body}
          onChange={(part) => setBody((before) => ({ ...before, ...part }))}
          faultAt={create.faultAt}
        />
        <FormEnd call={call('webhooks', 'create', body)} write={create} onClose={close}>
          Make web hook
        </FormEnd>
      </form>
    </Dialog>
  );
}
