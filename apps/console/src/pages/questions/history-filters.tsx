import type { Query } from '@aos/client';
import { kindWords, statuses } from '../../questions/words';
import { Select, Switch, TextField } from '../../ui';

type Filters = Record<string, string>;

/** What the address asks for, as the list takes it. */
export function historyQuery({ status, kind, mine, session }: Filters): Query<'listInteractions'> {
  return {
    status: status as Query<'listInteractions'>['status'],
    kind: kind as Query<'listInteractions'>['kind'],
    session_id: session,
    inbox: mine === 'yes' ? true : undefined,
  };
}

export function HistoryFilters({ filters, onChange }: { filters: Filters; onChange: (changed: Filters) => void }) {
  const { status = '', kind = '', mine, session = '' } = filters;
  return (
    <div role="search" aria-label="Filters" className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap">
      <Select
        label="Status"
        className="sm:w-36"
        value={status}
        options={[{ value: '', label: 'Any' }, ...statuses.map((value) => ({ value, label: value.replace('_', ' ') }))]}
        onChange={({ target }) => onChange({ status: target.value })}
      />
      <Select
        label="Kind"
        className="sm:w-36"
        value={kind}
        options={[
          { value: '', label: 'Any' },
          ...Object.entries(kindWords).map(([value, label]) => ({ value, label })),
        ]}
        onChange={({ target }) => onChange({ kind: target.value })}
      />
      <TextField
        key={session}
        label="Session"
        className="max-sm:col-span-2 sm:w-64"
        placeholder="ses_…"
        type="search"
        defaultValue={session}
        onKeyDown={(event) => event.key === 'Enter' && onChange({ session: event.currentTarget.value.trim() })}
        onBlur={(event) => onChange({ session: event.currentTarget.value.trim() })}
      />
      <div className="flex h-8 items-center">
        <Switch label="Only to you" checked={mine === 'yes'} onChange={(on) => onChange({ mine: on ? 'yes' : '' })} />
      </div>
    </div>
  );
}
