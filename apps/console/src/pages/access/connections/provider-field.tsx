import { call } from '../../../api/call';
import { useAll } from '../../../api/use-all';
import { Select, TextField } from '../../../ui';
import { isAuthorized, type ConnectionKind } from './connection-draft';

/** The provider of a connection: one that is saved where it authorizes the account, else any name. */
export function ProviderField({
  kind,
  value,
  onChange,
  error,
}: {
  kind: ConnectionKind;
  value: string;
  onChange: (provider: string) => void;
  error: string | null;
}) {
  const providers = useAll(call('connections', 'listProviders', { limit: 100 }));
  if (!isAuthorized(kind))
    return (
      <TextField
        label="Provider"
        hint="Actions that name this provider are called with it."
        maxLength={64}
        spellCheck={false}
        placeholder="github"
        value={value}
        onChange={({ target }) => onChange(target.value)}
        error={error}
      />
    );
  return (
    <Select
      label="Provider"
      hint="It says where the account is authorized, and where its tokens may go."
      required
      options={[
        { value: '', label: providers.rows.length === 0 ? 'No provider is saved' : 'Choose…' },
        ...providers.rows.map(({ provider }) => ({ value: provider, label: provider })),
      ]}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      error={error}
    />
  );
}
