import { useState, type FormEvent } from 'react';
import type { RequestBody } from '@aos/client';
import { call } from '../../../api/call';
import { useCheckedWrite } from '../../../api/checked-write';
import { Dialog, FormEnd } from '../../../ui';
import { WebhookFields, type Webhook, type WebhookBody } from './webhook-fields';

type Change = RequestBody<'updateWebhook'>;

/** What is left empty is taken away. */
function changeOf({ url, event_types, source_kinds: kinds, description }: WebhookBody): Change {
  return { url, event_types, source_kinds: kinds ?? null, description: description ?? null };
}

export function EditWebhook({ of, onClose }: { of: Webhook; onClose: () => void }) {
  const { url, event_types, source_kinds, description } = of;
  const [body, setBody] = useState<WebhookBody>({ url, event_types, source_kinds, description });
  const callFor = (change: Change) => call('webhooks', 'update', of.id, change);
  const save = useCheckedWrite('WebhookUpdateRequest', callFor, { done: 'Saved', onDone: onClose });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.submit(changeOf(body));
  };
  return (
    <Dialog open onClose={onClose} title="Edit the web hook">
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <WebhookFields
          body={body}
          onChange={(part) => setBody((before) => ({ ...before, ...part }))}
          faultAt={save.faultAt}
        />
        <FormEnd call={callFor(changeOf(body))} write={save} onClose={onClose}>
          Save
        </FormEnd>
      </form>
    </Dialog>
  );
}
