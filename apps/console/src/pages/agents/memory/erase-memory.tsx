import { useState } from 'react';
import { call } from '../../../api/call';
import { useAll } from '../../../api/use-all';
import { Button, ConfirmByName, Dialog, ErrorNote, Select } from '../../../ui';
import { useErasure } from './use-erasure';

/** Erases what the agent remembers of one person, without showing it. */
export function EraseMemory({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const people = useAll(call('principals', 'list', { kind: 'human', include_disabled: true, limit: 100 }));
  const [chosen, setChosen] = useState('');
  const [isAsked, setAsked] = useState(false);
  const erasure = useErasure(agentId, onClose);
  const person = people.rows.find(({ id }) => id === chosen);
  if (isAsked && person)
    return (
      <ConfirmByName
        onClose={onClose}
        title={`Erase the memory of ${person.name}`}
        verb="Erase"
        name={person.name}
        consequence="All that this agent remembers of this person goes, and nothing shows it before. The audit log says that it was erased."
        call={call('agents', 'eraseMemoryPartition', agentId, person.id)}
        onConfirm={() => erasure.mutate(person.id)}
        busy={erasure.isPending}
        error={erasure.error}
      />
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title="Erase a person’s memory"
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" disabled={person === undefined} onClick={() => setAsked(true)}>
            Go on…
          </Button>
        </>
      }
    >
      {people.error && <ErrorNote error={people.error} onRetry={people.reload} />}
      <Select
        label="Person"
        value={chosen}
        options={[
          { value: '', label: 'Choose…' },
          ...people.rows.map(({ id, name, state }) => ({
            value: id,
            label: state === 'active' ? name : `${name} (${state})`,
          })),
        ]}
        onChange={({ target }) => setChosen(target.value)}
      />
    </Dialog>
  );
}
