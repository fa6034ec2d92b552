import { useState, type FormEvent } from 'react';
import { ApiError } from '@aos/client';
import { call } from '../../../api/call';
import { useWrite } from '../../../api/hooks';
import { useMe } from '../../../api/permissions';
import { useAll } from '../../../api/use-all';
import { Button, Dialog, ErrorNote, FormEnd, Switch } from '../../../ui';
import type { MemoryEntry } from './memory-kinds';

interface Parts {
  agentId: string;
  entry: MemoryEntry;
  onDone: () => void;
}

/** Of the reader's own entry: its copy into the shared partition. Of a shared one that they promoted: its undoing. */
export function PromoteEntry(parts: Parts) {
  return parts.entry.user_id === '' ? <UndoPromotion {...parts} /> : <Promotion {...parts} />;
}

function Promotion({ agentId, entry, onDone }: Parts) {
  const [isOpen, setOpen] = useState(false);
  const [replace, setReplace] = useState(false);
  const promoting = call('agents', 'promoteMemoryEntry', agentId, entry.key, {
    user_id: entry.user_id,
    ...(replace && { replace }),
  });
  const promote = useWrite((_: null) => promoting, { done: 'The shared memory has it', onDone });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    promote.mutate(null);
  };
  return (
    <>
      <Button icon="upload" needs={promoting} onClick={() => setOpen(true)}>
        Share…
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Share this entry"
        description="A copy of it goes into the shared memory: the agent finds it in the turns of all who use it. Yours stays."
      >
        <form onSubmit={submit} className="flex flex-col gap-4">
          {(ApiError.is(promote.error, 'already_exists') || replace) && (
            <Switch label="Replace the shared entry of this key" checked={replace} onChange={setReplace} />
          )}
          <FormEnd call={promoting} write={promote} onClose={() => setOpen(false)}>
            Share it
          </FormEnd>
        </form>
      </Dialog>
    </>
  );
}

function UndoPromotion({ agentId, entry, onDone }: Parts) {
  const { principal } = useMe();
  const changes = useAll(call('agents', 'listMemoryChanges', agentId, { limit: 100 }));
  const last = changes.rows.findLast((change) => change.memory_key === entry.key && change.user_id === '');
  const undoing = call('agents', 'revertMemoryPromotion', agentId, entry.key);
  const undo = useWrite((_: null) => undoing, { done: 'The promotion was undone', onDone });
  if (last?.reason !== 'promoted' || last.actor_id !== principal.id) return null;
  return (
    <>
      <Button needs={undoing} busy={undo.isPending} onClick={() => undo.mutate(null)}>
        Undo the sharing
      </Button>
      {undo.error && <ErrorNote error={undo.error} />}
    </>
  );
}
