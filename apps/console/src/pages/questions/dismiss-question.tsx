import { useState, type FormEvent } from 'react';
import type { RequestBody } from '@aos/client';
import { call } from '../../api/call';
import { useWrite } from '../../api/hooks';
import type { Interaction } from '../../questions/words';
import { Button, CallShown, Dialog, ErrorNote, TextArea } from '../../ui';

/** Closes a request without an answer, for all it was sent to. */
export function Dismiss({ of, onClose }: { of: Interaction; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const body: RequestBody<'cancelInteraction'> = reason.trim() === '' ? {} : { reason };
  const cancel = useWrite(() => call('interactions', 'cancel', of.id, body), {
    done: 'Dismissed',
    changes: ['sessions', 'turns'],
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    cancel.mutate(undefined);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Dismiss this question?"
      description="It is closed for all it was sent to, without an answer. This cannot be undone."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextArea
          label="Reason"
          hint="May be left empty. Who asked reads it."
          rows={2}
          dir="auto"
          maxLength={2048}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        {cancel.error && <ErrorNote error={cancel.error} />}
        <div className="flex flex-wrap items-center justify-between gap-2">
          <CallShown call={call('interactions', 'cancel', of.id, body)} />
          <div className="flex gap-2">
            <Button onClick={onClose}>Keep it open</Button>
            <Button look="danger" type="submit" busy={cancel.isPending}>
              Dismiss
            </Button>
          </div>
        </div>
      </form>
    </Dialog>
  );
}
