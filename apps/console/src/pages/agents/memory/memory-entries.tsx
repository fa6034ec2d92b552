import type { Query } from '@aos/client';
import { call } from '../../../api/call';
import { useFilters } from '../../../api/filters';
import { useRows } from '../../../api/hooks';
import { useMe } from '../../../api/permissions';
import { Badge, Button, CallShown, EmptyState, Select, Table, Time } from '../../../ui';
import { SearchField } from '../../definitions/search-field';
import { EntryDialog } from './entry-dialog';
import { kindChoices, type MemoryEntry } from './memory-kinds';

type Filters = Record<string, string>;

function queryOf({ q, kind, of }: Filters, me: string): Query<'listAgentMemoryEntries'> {
  return {
    ...(q && { query: q }),
    ...(kind && { kind: kind as MemoryEntry['kind'] }),
    ...(of === 'shared' && { user_id: '' }),
    ...(of === 'mine' && { user_id: me }),
    limit: 50,
  };
}

/** The entries within the reader's reach. One is opened by its address. */
export function MemoryEntries({ agentId, onNew }: { agentId: string; onNew: () => void }) {
  const [filters, setFilters] = useFilters();
  const { principal } = useMe();
  const list = useRows(call('agents', 'listMemoryEntries', agentId, queryOf(filters, principal.id)));
  const { q = '', kind = '', of = '', entry = '', person = '' } = filters;
  const isNarrowed = [q, kind, of].some((text) => text !== '');
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <SearchField label="Words of an entry" value={q} onChange={(text) => setFilters({ q: text })} />
        <Select
          label="Kind"
          className="w-36"
          value={kind}
          options={[{ value: '', label: 'Any' }, ...kindChoices]}
          onChange={({ target }) => setFilters({ kind: target.value })}
        />
        <Select
          label="Whose"
          className="w-44"
          value={of}
          options={[
            { value: '', label: 'Shared and mine' },
            { value: 'shared', label: 'Shared' },
            { value: 'mine', label: 'Mine' },
          ]}
          onChange={({ target }) => setFilters({ of: target.value })}
        />
        <span className="flex-1" />
        <CallShown call={list.call} />
      </div>
      <Table
        label="Entries"
        list={list}
        rowKey={({ entry_id }) => entry_id}
        columns={[
          { title: 'Entry', cell: (one) => <Opening of={one} onOpen={setFilters} /> },
          { title: 'Kind', wideOnly: true, cell: (one) => <Badge>{one.kind}</Badge> },
          { title: 'Whose', wideOnly: true, cell: ({ user_id }) => (user_id === '' ? 'shared' : 'yours') },
          { title: 'Importance', align: 'right', wideOnly: true, cell: ({ importance }) => String(importance) },
          { title: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
        ]}
        empty={
          <EmptyState
            icon="search"
            title={isNarrowed ? 'No such entry' : 'It remembers nothing yet'}
            action={isNarrowed ? undefined : <Button onClick={onNew}>New entry</Button>}
          >
            Agents write with <code className="font-mono">svc.memory.remember</code>. Memory of other people is theirs:
            it is not shown.
          </EmptyState>
        }
      />
      {entry !== '' && (
        <EntryDialog
          agentId={agentId}
          entryKey={entry}
          person={person}
          onClose={() => setFilters({ entry: '', person: '' })}
        />
      )}
    </div>
  );
}

function Opening({
  of: { key, summary, content, pinned, user_id },
  onOpen,
}: {
  of: MemoryEntry;
  onOpen: (address: Filters) => void;
}) {
  return (
    <button
      type="button"
      className="max-w-full truncate text-left after:absolute after:inset-0"
      onClick={() => onOpen({ entry: key, person: user_id })}
    >
      <bdi>{key}</bdi>
      {pinned && (
        <span className="ps-2">
          <Badge tone="accent">pinned</Badge>
        </span>
      )}
      <bdi className="text-muted ps-2 font-normal">{summary || content}</bdi>
    </button>
  );
}
