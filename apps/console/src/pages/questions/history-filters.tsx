import type { Query } from '@aos/client';
import { kindWords, statuses } from '../../questions/words';
import { FilterField, Select, Switch } from '../../ui';

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
      <FilterField
        label="Session"
        className="max-sm:col-span-2 sm:w-64"
        placeholder="ses_…"
        value={session}
        onChange={(next) => onChange({ session: next })}
      />
      <div className="flex h-8 items-center">
        <Switch label="Only to you" checked={mine === 'yes'} onChange={(on) => onChange({ mine: on ? 'yes' : '' })} />
      </div>
    </div>
  );
}
