import { useState, type FormEvent } from 'react';
import { call } from '../../api/call';
import { useWrite } from '../../api/hooks';
import { Dialog, FormEnd } from '../../ui';
import { draftOf, updateBody, type Routine, type UpdateBody } from './routine-draft';
import { RoutineFields } from './routine-fields';

export function EditRoutine({ of, onClose }: { of: Routine; onClose: () => void }) {
  const [routine] = useState(of); // what is edited stays, while the routine runs on
  const [draft, setDraft] = useState(() => draftOf(routine));
  const body = updateBody(draft, routine);
  const saving = call('routines', 'update', routine.id, body);
  const save = useWrite((given: UpdateBody) => call('routines', 'update', routine.id, given), {
    done: 'Saved',
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(body);
  };
  return (
    <Dialog open wide onClose={onClose} title={`Edit ${routine.name}`}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <RoutineFields draft={draft} onChange={(part) => setDraft((before) => ({ ...before, ...part }))} />
        <FormEnd call={saving} write={save} onClose={onClose} disabled={Object.keys(body).length === 0}>
          Save
        </FormEnd>
      </form>
    </Dialog>
  );
}
