import { useState, type FormEvent } from 'react';
import type { RequestBody } from '@aos/client';
import { call } from '../../../api/call';
import { useCheckedWrite } from '../../../api/checked-write';
import { Dialog, FormEnd, numberText, Select, TextField } from '../../../ui';
import type { Webhook } from './webhook-fields';

type Body = RequestBody<'redeliverWebhookEvents'>;

interface Draft {
  by: 'time' | 'event';
  eventId: string;
  since: string;
  until: string;
}

function bodyOf({ by, eventId, since, until }: Draft): Body {
  return by === 'event' ? { event_id: eventId.trim() } : { since: timeOf(since), until: timeOf(until) };
}

function timeOf(local: string): string | undefined {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** Sends one event, or those of a time, to the endpoint again. */
export function Redeliver({ of, onClose }: { of: Webhook; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>({ by: 'time', eventId: '', since: '', until: '' });
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const callFor = (body: Body) => call('webhooks', 'redeliverEvents', of.id, body);
  const redeliver = useCheckedWrite('WebhookRedeliverRequest', callFor, {
    done: ({ events }) => (events === 1 ? 'One event is sent again' : `${numberText(events)} events are sent again`),
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    redeliver.submit(bodyOf(draft));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Send events again"
      description="Each comes under its own id, so that an endpoint which took it before can tell. 10,000 at most."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Select
          label="Which"
          value={draft.by}
          options={[
            { value: 'time', label: 'Events of a time' },
            { value: 'event', label: 'One event' },
          ]}
          onChange={({ target }) => change({ by: target.value as Draft['by'] })}
        />
        {draft.by === 'event' ? (
          <TextField
            label="Event id"
            required
            maxLength={200}
            spellCheck={false}
            value={draft.eventId}
            onChange={({ target }) => change({ eventId: target.value })}
            error={redeliver.faultAt('event_id')}
          />
        ) : (
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Received from"
              type="datetime-local"
              required
              value={draft.since}
              onChange={({ target }) => change({ since: target.value })}
              error={redeliver.faultAt('since')}
            />
            <TextField
              label="Until"
              type="datetime-local"
              required
              hint="In your time zone."
              value={draft.until}
              onChange={({ target }) => change({ until: target.value })}
              error={redeliver.faultAt('until')}
            />
          </div>
        )}
        <FormEnd call={callFor(bodyOf(draft))} write={redeliver} onClose={onClose}>
          Send again
        </FormEnd>
      </form>
    </Dialog>
  );
}
