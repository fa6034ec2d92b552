import { useState, type KeyboardEvent } from 'react';
import { useMe } from '../../../api/permissions';
import { Select, TextField } from '../../../ui';
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
      <TextFilter
        key={`q-${filters['q'] ?? ''}`}
        label="Title or key"
        value={filters['q'] ?? ''}
        onChange={(q) => onChange({ q })}
      />
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
      <TextFilter
        key={`metadata-${filters['metadata'] ?? ''}`}
        label="Metadata"
        placeholder="key:value"
        value={filters['metadata'] ?? ''}
        faultOf={metadataFault}
        onChange={(metadata) => onChange({ metadata })}
      />
      {choice('since', 'Active since', sinceOptions)}
    </div>
  );
}

/** A text that becomes a filter when it is entered or left. */
function TextFilter({
  label,
  value,
  placeholder,
  faultOf = () => null,
  onChange,
}: {
  label: string;
  value: string;
  placeholder?: string;
  faultOf?: (text: string) => string | null;
  onChange: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const fault = faultOf(text);
  const take = () => {
    if (text.trim() !== value && fault === null) onChange(text.trim());
  };
  return (
    <TextField
      type="search"
      label={label}
      placeholder={placeholder}
      maxLength={200}
      value={text}
      error={text === value ? null : fault}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event: KeyboardEvent) => event.key === 'Enter' && take()}
      onBlur={take}
    />
  );
}
