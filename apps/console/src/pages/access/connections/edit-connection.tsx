import { useState, type FormEvent } from 'react';
import { call } from '../../../api/call';
import { useCheckedWrite } from '../../../api/checked-write';
import { Dialog, FormEnd } from '../../../ui';
import { changeBody, draftOf, type Connection, type ConnectionChange } from './connection-draft';
import { ConnectionFields } from './connection-fields';

export function EditConnection({ of, onClose }: { of: Connection; onClose: () => void }) {
  const [draft, setDraft] = useState(() => draftOf(of));
  const callFor = (body: ConnectionChange) => call('connections', 'update', of.id, body);
  const save = useCheckedWrite('UpdateConnectionRequest', callFor, { done: 'Saved', onDone: onClose });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.submit(changeBody(draft));
  };
  return (
    <Dialog open onClose={onClose} title="Edit the connection">
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <ConnectionFields
          draft={draft}
          onChange={(part) => setDraft((before) => ({ ...before, ...part }))}
          faultAt={save.faultAt}
        />
        <FormEnd call={callFor(changeBody(draft))} write={save} onClose={onClose}>
          Save
        </FormEnd>
      </form>
    </Dialog>
  );
}
