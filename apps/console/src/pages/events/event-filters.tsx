import { useId } from 'react';
import { call } from '../../api/call';
import { useRows } from '../../api/hooks';
import { sourceKinds } from '../../api/source-kinds';
import { Button, FilterField, Select } from '../../ui';

type Filters = Record<string, string>;

/** Family, type, kind and id of the source, kept in the address. */
export function EventFilters({ filters, onChange }: { filters: Filters; onChange: (changed: Filters) => void }) {
  const { family = '', type = '', kind = '', source = '' } = filters;
  const { rows: families } = useRows(call('catalog', 'listEvents'));
  const types = families
    .filter(({ prefix }) => family === '' || prefix === family)
    .flatMap(({ event_types: all }) => all.map(({ name }) => name));
  const hasSome = [family, type, kind, source].some((value) => value !== '');
  return (
    <div role="search" aria-label="Filters" className="grid grid-cols-2 items-end gap-3 sm:flex sm:flex-wrap">
      <Select
        label="Family"
        className="sm:w-40"
        value={family}
        options={[
          { value: '', label: 'Any' },
          ...families.map(({ prefix, display_name }) => ({ value: prefix, label: display_name })),
        ]}
        onChange={({ target }) => onChange({ family: target.value, type: '' })}
      />
      <TypeField types={types} value={type} onChange={(next) => onChange({ type: next })} />
      <Select
        label="Source kind"
        className="sm:w-36"
        value={kind}
        options={[{ value: '', label: 'Any' }, ...sourceKinds.map((value) => ({ value, label: value }))]}
        onChange={({ target }) => onChange({ kind: target.value })}
      />
      <FilterField
        label="Source id"
        className="sm:w-60"
        value={source}
        onChange={(next) => onChange({ source: next })}
      />
      {hasSome && (
        <Button look="quiet" onClick={() => onChange({ family: '', type: '', kind: '', source: '' })}>
          Clear
        </Button>
      )}
    </div>
  );
}

/** One of the catalog's types, or another one: providers bring their own. */
function TypeField({
  types,
  value,
  onChange,
}: {
  types: readonly string[];
  value: string;
  onChange: (type: string) => void;
}) {
  const id = useId();
  return (
    <>
      <FilterField
        label="Type"
        className="sm:w-60"
        list={id}
        placeholder="session.message.created"
        value={value}
        onChange={onChange}
      />
      <datalist id={id}>
        {types.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
