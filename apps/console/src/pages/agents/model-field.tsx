import { useId } from 'react';
import { call } from '../../api/call';
import { useAll } from '../../api/use-all';
import { TextField } from '../../ui';

/** A model by its id, with those that the service offers as suggestions. */
export function ModelField({
  label = 'Model',
  value = '',
  onChange,
  error,
}: {
  label?: string;
  value: string | undefined;
  onChange: (model: string) => void;
  error: string | null;
}) {
  const id = useId();
  const providers = useAll(call('catalog', 'listModels'));
  const models = providers.rows.flatMap((provider) => provider.models);
  return (
    <>
      <TextField
        label={label}
        list={id}
        placeholder="default of the service"
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        hint={
          value !== '' && models.length > 0 && !models.some((model) => isMeant(model, value))
            ? 'No model of the catalog has this id.'
            : undefined
        }
        error={error}
      />
      <datalist id={id}>
        {models.map((model) => (
          <option key={`${model.provider}/${model.id}`} value={model.id}>
            {model.label}
          </option>
        ))}
      </datalist>
    </>
  );
}

function isMeant({ id, provider }: { id: string; provider: string }, value: string): boolean {
  return value === id || value === `${provider}/${id}`;
}
