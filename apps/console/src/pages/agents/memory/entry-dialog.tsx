import { useState } from 'react';
import { call } from '../../../api/call';
import { useCheckedWrite } from '../../../api/checked-write';
import { useItem } from '../../../api/hooks';
import { Button, CallShown, DestroyByName, Dialog, ErrorNote, Facts, Id, ItemView, JsonView, Time } from '../../../ui';
import { entryBodyOf, savingEntry, type EntryBody } from './entry-body';
import { EntryFields } from './entry-fields';
import type { MemoryEntry } from './memory-kinds';
import { PromoteEntry } from './promote-entry';

/** One entry whole: read, changed, forgotten. */
export function EntryDialog({
  agentId,
  entryKey,
  person,
  onClose,
}: {
  agentId: string;
  entryKey: string;
  /** Whose partition it lies in; empty for the shared one. */
  person: string;
  onClose: () => void;
}) {
  const query = person === '' ? undefined : { user_id: person };
  const entry = useItem(call('agents', 'getMemoryEntry', agentId, entryKey, query));
  return (
    <Dialog open onClose={onClose} title={entryKey} wide>
      <ItemView item={entry}>
        {(value) => <Entry key={value.version} agentId={agentId} entry={value} query={query} onClose={onClose} />}
      </ItemView>
    </Dialog>
  );
}

function Entry({
  agentId,
  entry,
  query,
  onClose,
}: {
  agentId: string;
  entry: MemoryEntry;
  query: { user_id: string } | undefined;
  onClose: () => void;
}) {
  const [body, setBody] = useState(entryBodyOf(entry));
  const [isForgetting, setForgetting] = useState(false);
  const callFor = (given: EntryBody) => savingEntry(agentId, entry.key, given);
  const save = useCheckedWrite('SaveAgentMemoryEntryRequest', callFor, { done: 'Saved', onDone: onClose });
  const forgetting = call('agents', 'deleteMemoryEntry', agentId, entry.key, query);
  return (
    <>
      <Facts
        facts={[
          ['Id', <Id key="id" value={entry.entry_id} short />],
          ['Whose', entry.user_id === '' ? 'shared' : 'yours'],
          ['Version', String(entry.version)],
          ['Changed', <Time key="changed" at={entry.updated_at} form="whole" />],
        ]}
      />
      <EntryFields body={body} onChange={(part) => setBody({ ...body, ...part })} faultAt={save.faultAt} />
      {entry.metadata && Object.keys(entry.metadata).length > 0 && <JsonView label="Metadata" value={entry.metadata} />}
      {save.error && <ErrorNote error={save.error} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="flex flex-wrap gap-2">
          <Button icon="trash" needs={forgetting} onClick={() => setForgetting(true)}>
            Forget…
          </Button>
          <PromoteEntry agentId={agentId} entry={entry} onDone={onClose} />
        </div>
        <div className="flex gap-2">
          <CallShown call={callFor(body)} />
          <Button look="primary" needs={callFor(body)} busy={save.isPending} onClick={() => save.submit(body)}>
            Save
          </Button>
        </div>
      </div>
      <DestroyByName
        open={isForgetting}
        onClose={() => setForgetting(false)}
        title="Forget this entry"
        verb="Forget"
        name={entry.key}
        consequence="Turns of the agent do not find it any more."
        call={forgetting}
        done="Forgotten"
        onDone={onClose}
      />
    </>
  );
}
