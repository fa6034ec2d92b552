import { Button, IconButton, TextField } from '../../../ui';
import type { HeaderRow } from './connection-draft';

const headersMax = 8;

/** Names of headers and their values, which are secrets. */
export function SecretHeadersField({
  value,
  onChange,
  error,
}: {
  value: readonly HeaderRow[];
  onChange: (rows: HeaderRow[]) => void;
  error: string | null;
}) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="pb-1 text-xs font-medium">Headers</legend>
      {value.map(([name, secret], at) => (
        <div key={at} className="flex items-start gap-2">
          <TextField
            label={`Name of header ${at + 1}`}
            hideLabel
            placeholder="X-Api-Key"
            className="flex-1"
            maxLength={128}
            spellCheck={false}
            value={name}
            onChange={({ target }) => onChange(value.with(at, [target.value, secret]))}
          />
          <TextField
            label={`Secret of header ${at + 1}`}
            hideLabel
            placeholder="secret"
            type="password"
            autoComplete="off"
            className="flex-1"
            value={secret}
            onChange={({ target }) => onChange(value.with(at, [name, target.value]))}
          />
          <IconButton
            label={`Remove header ${name === '' ? at + 1 : name}`}
            icon="close"
            onClick={() => onChange(value.filter((_, other) => other !== at))}
          />
        </div>
      ))}
      {error && <p className="text-bad text-xs">{error}</p>}
      {value.length < headersMax && (
        <Button className="self-start" icon="plus" onClick={() => onChange([...value, ['', '']])}>
          Add a header
        </Button>
      )}
    </fieldset>
  );
}
