import { useState } from 'react';
import { useParams } from '@tanstack/react-router';
import { call } from '../../../api/call';
import { useFilters } from '../../../api/filters';
import { useItem } from '../../../api/hooks';
import { Badge, Button, Menu, numberText, Page, Tabs } from '../../../ui';
import { EraseMemory } from './erase-memory';
import { MemoryChanges } from './memory-changes';
import { MemoryEntries } from './memory-entries';
import { NewEntry } from './new-entry';

/** What an agent remembers: the shared partition and the reader's own. */
export default function MemoryPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const agent = useItem(call('agents', 'get', id));
  const memory = useItem(call('agents', 'getMemory', id));
  const [{ view = 'entries' }, setFilters] = useFilters();
  const [open, setOpen] = useState<'new' | 'erase' | null>(null);
  const close = (): void => setOpen(null);
  return (
    <Page
      title={agent.data ? `Memory of ${agent.data.name}` : 'Memory'}
      back={{ to: `/agents/${id}`, label: agent.data?.name ?? 'Agent' }}
      lead={memory.data && <Badge>{countText(memory.data.entry_count)}</Badge>}
      call={memory.call}
      actions={
        <>
          <Button look="primary" icon="plus" needs="svc.resource.use" onClick={() => setOpen('new')}>
            New entry
          </Button>
          <Menu
            label="More"
            items={[
              {
                label: 'Erase a person’s memory…',
                icon: 'trash',
                danger: true,
                needs: call('agents', 'eraseMemoryPartition', id, ''),
                onSelect: () => setOpen('erase'),
              },
            ]}
          />
        </>
      }
    >
      {agent.data?.memory_enabled === false && (
        <p className="bg-warn-soft text-warn rounded-md px-3 py-2">
          Memory is off for this agent: its turns neither read nor write what stands here.
        </p>
      )}
      <Tabs
        label="Views of the memory"
        value={view}
        onChange={(next) => setFilters({ view: next === 'entries' ? '' : next })}
        tabs={[
          { value: 'entries', label: 'Entries', content: <MemoryEntries agentId={id} onNew={() => setOpen('new')} /> },
          { value: 'changes', label: 'Changes', content: <MemoryChanges agentId={id} /> },
        ]}
      />
      {open === 'new' && <NewEntry agentId={id} onClose={close} />}
      {open === 'erase' && <EraseMemory agentId={id} onClose={close} />}
    </Page>
  );
}

function countText(entries: number): string {
  return entries === 1 ? '1 entry' : `${numberText(entries)} entries`;
}
