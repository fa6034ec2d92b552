import { useMe } from '../../../api/permissions';
import { FilterField, Select } from '../../../ui';
import { metadataFault, sinceOptions, type SessionFilters } from './session-filters';

/** The filters of the list of sessions. */
export function Filters({
  filters,
  onChange,
  agentNames,
}: {
  filters: SessionFilters;
  onChange: (changed: Record<string, string>) => void;
  agentNames: ReadonlyMap<string, string>;
}) {
  const { principal } = useMe();
  const { owner = '' } = filters;
  const others = owner === '' || owner === principal.id ? [] : [{ value: owner, label: owner }];
  const choice = (name: string, label: string, options: readonly { value: string; label: string }[]) => (
    <Select
      label={label}
      value={filters[name] ?? ''}
      onChange={(event) => onChange({ [name]: event.target.value })}
      options={options}
    />
  );
  return (
    <div role="search" aria-label="Filters" className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:grid-cols-6">
      <FilterField label="Title or key" maxLength={200} value={filters['q'] ?? ''} onChange={(q) => onChange({ q })} />
      {choice('agent', 'Agent', [
        { value: '', label: 'Any agent' },
        ...[...agentNames].map(([value, label]) => ({ value, label })),
      ])}
      {choice('status', 'Status', [
        { value: '', label: 'Any status' },
        { value: 'active', label: 'Active' },
        { value: 'archived', label: 'Archived' },
      ])}
      {choice('owner', 'Owner', [
        { value: '', label: 'Any owner' },
        { value: principal.id, label: `${principal.name} (this key)` },
        ...others,
      ])}
      <FilterField
        label="Metadata"
        maxLength={200}
        placeholder="key:value"
        value={filters['metadata'] ?? ''}
        faultOf={metadataFault}
        onChange={(metadata) => onChange({ metadata })}
      />
      {choice('since', 'Active since', sinceOptions)}
    </div>
  );
}
