import { useId, type ReactNode } from 'react';
import { usePrincipalNames } from '../../names/use-names';
import { Button, FilterField, Select, TextField } from '../../ui';

type Filters = Record<string, string>;

const actions = [
  'agent.*',
  'api_key.*',
  'interaction.*',
  'principal.*',
  'role.*',
  'role_assignment.*',
  'routine.*',
  'session.*',
  'token.issued',
  'turn.cancelled',
];
const types = [
  'agent',
  'api_key',
  'interaction',
  'principal',
  'role',
  'role_assignment',
  'routine',
  'session',
  'skill',
  'table',
  'turn',
];

/** Action, actor, resource and time, kept in the address. */
export function AuditFilters({
  filters,
  onChange,
  actions: buttons,
}: {
  filters: Filters;
  onChange: (changed: Filters) => void;
  actions: ReactNode;
}) {
  const { action = '', actor = '', type = '', resource = '', since = '' } = filters;
  const names = usePrincipalNames();
  const hasSome = [action, actor, type, resource, since].some((value) => value !== '');
  return (
    <div role="search" aria-label="Filters" className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap">
      <Typed
        label="Action"
        known={actions}
        placeholder="role.*"
        value={action}
        onChange={(next) => onChange({ action: next })}
      />
      <Select
        label="By"
        className="sm:w-44"
        value={actor}
        options={[{ value: '', label: 'Any' }, ...[...names].map(([value, label]) => ({ value, label }))]}
        onChange={({ target }) => onChange({ actor: target.value })}
      />
      <Typed label="Resource" known={types} value={type} onChange={(next) => onChange({ type: next })} />
      <Typed label="Its id" known={[]} value={resource} onChange={(next) => onChange({ resource: next })} />
      <TextField
        key={`since ${since}`}
        label="Since"
        type="datetime-local"
        className="sm:w-48"
        defaultValue={localText(since)}
        onBlur={({ target }) => onChange({ since: timeText(target.value) })}
      />
      {hasSome && (
        <Button look="quiet" onClick={() => onChange({ action: '', actor: '', type: '', resource: '', since: '' })}>
          Clear
        </Button>
      )}
      <div className="flex flex-wrap gap-2 max-sm:col-span-2 sm:ml-auto">{buttons}</div>
    </div>
  );
}

/** A text with what is known to choose from; it counts when it is left or Enter is pressed. */
function Typed({
  label,
  known,
  placeholder,
  value,
  onChange,
}: {
  label: string;
  known: readonly string[];
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <>
      <FilterField
        label={label}
        className="sm:w-40"
        list={known.length > 0 ? id : undefined}
        placeholder={placeholder}
        value={value}
        onChange={onChange}
      />
      {known.length > 0 && (
        <datalist id={id}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </>
  );
}

function localText(time: string): string {
  const at = new Date(time);
  if (time === '' || Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function timeText(local: string): string {
  const at = new Date(local);
  return local === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
