import { useId, useState } from 'react';
import type { Schema } from '@aos/client';
import { call } from '../../api/call';
import { useAll } from '../../api/use-all';
import { Button, IconButton, Select, TextField } from '../../ui';

type Selector = Schema<'ActionSelector'>;
type SelectorType = NonNullable<Selector['selector_type']>;

const types: { value: SelectorType; label: string }[] = [
  { value: 'exact', label: 'exact name' },
  { value: 'group', label: 'family' },
  { value: 'platform', label: 'integration' },
  { value: 'custom', label: 'custom ones' },
  { value: 'wildcard', label: 'every action' },
];
const selectorsMax = 200;

/** The actions that an agent is granted. */
export function SelectorsField({
  value = [],
  onChange,
  error,
}: {
  value: Selector[] | undefined;
  onChange: (selectors: Selector[]) => void;
  error: string | null;
}) {
  const id = useId();
  const [added, setAdded] = useState<number | null>(null);
  const actions = useAll(call('catalog', 'listActions'));
  const change = (at: number, part: Partial<Selector>): void =>
    onChange(value.with(at, { ...at0(value, at), ...part }));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="pb-1 text-xs font-medium">Actions</legend>
      {value.length === 0 && <p className="text-muted text-xs">None: the agent only talks.</p>}
      {value.map(({ selector_type: type = 'exact', selector }, at) => (
        <div key={at} className="flex items-start gap-2">
          <Select
            label={`Kind of selector ${at + 1}`}
            hideLabel
            className="w-36 shrink-0"
            options={types}
            value={type}
            onChange={({ target }) => change(at, { selector_type: target.value as SelectorType })}
          />
          <TextField
            label={`Selector ${at + 1}`}
            hideLabel
            className="flex-1"
            autoFocus={at === added}
            list={type === 'exact' ? id : undefined}
            spellCheck={false}
            placeholder={type === 'exact' ? 'svc.table.query_rows' : type === 'group' ? 'svc.table' : undefined}
            disabled={type === 'wildcard'}
            value={selector}
            onChange={({ target }) => change(at, { selector: target.value })}
          />
          <IconButton
            label={`Remove ${selector === '' ? `selector ${at + 1}` : selector}`}
            icon="close"
            onClick={() => onChange(value.filter((_, other) => other !== at))}
          />
        </div>
      ))}
      {error && <p className="text-bad text-xs">{error}</p>}
      {value.length < selectorsMax && (
        <Button
          className="self-start"
          icon="plus"
          onClick={() => {
            setAdded(value.length);
            onChange([...value, { selector_type: 'exact', selector: '' }]);
          }}
        >
          Grant an action
        </Button>
      )}
      <datalist id={id}>
        {actions.rows.map(({ name, title }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </datalist>
    </fieldset>
  );
}

function at0(selectors: readonly Selector[], at: number): Selector {
  return selectors[at] ?? { selector: '' };
}

/** Whether a grant holds an action of this name, as far as names say it. */
export function grants({ selector_type: type = 'exact', selector }: Selector, action: string): boolean {
  if (type === 'wildcard') return true;
  if (type === 'exact') return selector === action;
  if (type === 'group') return action.startsWith(`${selector}.`);
  return type === 'custom' && !action.startsWith('svc.');
}
