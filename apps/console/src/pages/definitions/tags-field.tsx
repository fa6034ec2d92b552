import { useState } from 'react';
import { Button, IconButton, TextField } from '../../ui';

type Tags = Record<string, string>;

const tagsMax = 8;

/** Labels by key. Rows without a key are kept here and not given on. */
export function TagsField({
  value = {},
  onChange,
  error,
  disabled = false,
}: {
  value: Tags | undefined;
  onChange: (tags: Tags) => void;
  error: string | null;
  disabled?: boolean;
}) {
  const [rows, setRows] = useState(() => Object.entries(value));
  const given = JSON.stringify(value);
  const [shown, setShown] = useState(given);
  if (given !== shown) {
    setShown(given);
    if (given !== JSON.stringify(tagsOf(rows))) setRows(Object.entries(value));
  }
  const change = (next: [string, string][]): void => {
    setRows(next);
    onChange(tagsOf(next));
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2" disabled={disabled}>
      <legend className="pb-1 text-xs font-medium">Tags</legend>
      {rows.map(([key, text], at) => (
        <div key={at} className="flex items-start gap-2">
          <TextField
            label={`Key of tag ${at + 1}`}
            hideLabel
            placeholder="key"
            className="flex-1"
            maxLength={128}
            value={key}
            onChange={({ target }) => change(rows.with(at, [target.value, text]))}
          />
          <TextField
            label={`Value of tag ${at + 1}`}
            hideLabel
            placeholder="value"
            className="flex-1"
            maxLength={256}
            value={text}
            onChange={({ target }) => change(rows.with(at, [key, target.value]))}
          />
          <IconButton
            label={`Remove tag ${key === '' ? at + 1 : key}`}
            icon="close"
            onClick={() => change(rows.filter((_, other) => other !== at))}
          />
        </div>
      ))}
      {error && <p className="text-bad text-xs">{error}</p>}
      {rows.length < tagsMax && (
        <Button className="self-start" icon="plus" onClick={() => setRows([...rows, ['', '']])}>
          Add a tag
        </Button>
      )}
    </fieldset>
  );
}

function tagsOf(rows: readonly (readonly [string, string])[]): Tags {
  return Object.fromEntries(rows.filter(([key]) => key !== ''));
}

/** Tags in a line of a list. */
export function tagsText(tags: Tags | undefined): string {
  return Object.entries(tags ?? {})
    .map(([key, value]) => (value === '' ? key : `${key}: ${value}`))
    .join(', ');
}
