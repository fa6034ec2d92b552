import { useState, type FormEvent } from 'react';
import { useCheckedWrite } from '../../../api/checked-write';
import { useMe } from '../../../api/permissions';
import { Dialog, FormEnd, Select, TextField } from '../../../ui';
import { savingEntry, type EntryBody } from './entry-body';
import { EntryFields } from './entry-fields';

const keyMax = 256;
const keyForm = /^[A-Za-z0-9._:-]+$/;

export function NewEntry({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const { principal } = useMe();
  const [key, setKey] = useState('');
  const [isTried, setTried] = useState(false);
  const [body, setBody] = useState<EntryBody>({ content: '', user_id: '' });
  const save = useCheckedWrite('SaveAgentMemoryEntryRequest', (given: EntryBody) => savingEntry(agentId, key, given), {
    done: 'Remembered',
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (keyForm.test(key)) save.submit(body);
  };
  return (
    <Dialog open onClose={onClose} title="New entry">
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <TextField
          label="Key"
          hint="An entry that has it is written over."
          maxLength={keyMax}
          value={key}
          onChange={({ target }) => setKey(target.value)}
          error={isTried && !keyForm.test(key) ? 'A key has letters, digits and . _ : - only.' : null}
        />
        <Select
          label="Whose"
          value={body.user_id}
          options={[
            { value: '', label: 'Shared: each turn of the agent' },
            ...(principal.kind === 'human' ? [{ value: principal.id, label: 'Mine: only turns for me' }] : []),
          ]}
          onChange={({ target }) => setBody({ ...body, user_id: target.value })}
        />
        <EntryFields
          body={body}
          onChange={(part) => setBody((before) => ({ ...before, ...part }))}
          faultAt={save.faultAt}
        />
        <FormEnd call={savingEntry(agentId, key, body)} write={save} onClose={onClose}>
          Remember it
        </FormEnd>
      </form>
    </Dialog>
  );
}
