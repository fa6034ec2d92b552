import { Badge, Button, IconButton, Select, Switch, TextField } from '../../ui';
import { columnTypes, type Column } from './table-body';

const columnsMax = 200;

/**
 * The columns of a table. Those that are stored keep name, type and whether they are required; new ones of a stored
 * table are optional.
 */
export function ColumnsField({
  columns,
  stored = 0,
  identity,
  onChange,
  error,
}: {
  columns: Column[];
  /** How many of them are stored. */
  stored?: number;
  identity: string;
  onChange: (columns: Column[]) => void;
  error: string | null;
}) {
  const change = (at: number, part: Partial<Column>): void =>
    onChange(columns.map((column, other) => (other === at ? { ...column, ...part } : column)));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="pb-1 text-xs font-medium">Columns</legend>
      <ul className="flex flex-col gap-2">
        {columns.map((column, at) => (
          <li key={at} className="border-line flex flex-wrap items-center gap-2 border-b pb-2 last:border-0">
            {at < stored ? (
              <Stored column={column} at={at} identity={identity} onChange={(part) => change(at, part)} />
            ) : (
              <Fresh
                column={column}
                at={at}
                isIdentity={stored === 0 && at === 0}
                mayBeRequired={stored === 0}
                onChange={(part) => change(at, part)}
                onRemove={() => onChange(columns.filter((_, other) => other !== at))}
              />
            )}
          </li>
        ))}
      </ul>
      {error && <p className="text-bad text-xs">{error}</p>}
      {columns.length < columnsMax && (
        <Button
          className="self-start"
          icon="plus"
          onClick={() => onChange([...columns, { name: '', type: 'string' } as Column])}
        >
          Add a column
        </Button>
      )}
    </fieldset>
  );
}

function Stored({
  column,
  at,
  identity,
  onChange,
}: {
  column: Column;
  at: number;
  identity: string;
  onChange: (part: Partial<Column>) => void;
}) {
  return (
    <>
      <span className="flex w-52 min-w-0 flex-wrap items-center gap-1.5">
        <code className="min-w-0 truncate font-mono text-xs font-medium">{column.name}</code>
        <Badge>{column.type}</Badge>
        {column.name === identity && <Badge tone="accent">identity</Badge>}
        {column.required && column.name !== identity && <Badge tone="info">required</Badge>}
      </span>
      <TextField
        label={`Description of column ${at + 1}`}
        hideLabel
        placeholder="description"
        className="min-w-40 flex-1"
        value={column.description ?? ''}
        onChange={({ target }) => onChange({ description: target.value })}
      />
      <Switch
        label="Deprecated"
        checked={column.deprecated ?? false}
        onChange={(deprecated) => onChange({ deprecated })}
      />
    </>
  );
}

function Fresh({
  column,
  at,
  isIdentity,
  mayBeRequired,
  onChange,
  onRemove,
}: {
  column: Column;
  at: number;
  isIdentity: boolean;
  mayBeRequired: boolean;
  onChange: (part: Partial<Column>) => void;
  onRemove: () => void;
}) {
  return (
    <>
      <TextField
        label={`Name of column ${at + 1}`}
        hideLabel
        placeholder="name"
        className="min-w-32 flex-1"
        maxLength={64}
        spellCheck={false}
        value={column.name}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      {isIdentity ? (
        <Badge tone="accent">identity, a string</Badge>
      ) : (
        <>
          <Select
            label={`Type of column ${at + 1}`}
            hideLabel
            className="w-28"
            options={columnTypes}
            value={column.type}
            onChange={({ target }) => onChange({ type: target.value as Column['type'] })}
          />
          {mayBeRequired && (
            <Switch
              label="Required"
              checked={column.required ?? false}
              onChange={(required) => onChange({ required })}
            />
          )}
          <IconButton label={`Remove column ${column.name || at + 1}`} icon="close" onClick={onRemove} />
        </>
      )}
    </>
  );
}
