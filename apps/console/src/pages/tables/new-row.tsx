import { useState, type FormEvent } from 'react';
import { call } from '../../api/call';
import { faultAt, faultsOfError, type Faults } from '../../api/faults';
import { useWrite } from '../../api/hooks';
import { Dialog, FormEnd, Select, TextArea, TextField } from '../../ui';
import { valueOfText } from './cell-values';
import type { Column, Table } from './table-body';

type Texts = Readonly<Record<string, string>>;

/** A form with a field for each column. Empty fields are left out. */
export function NewRow({ table, onClose }: { table: Table; onClose: () => void }) {
  const { columns, identity_column: identity } = table.schema;
  const [texts, setTexts] = useState<Texts>({});
  const [found, setFound] = useState<Faults>({});
  const { data, faults } = rowOf(columns, identity, texts);
  const creating = call('tables', 'createRow', table.id, { data: data as Record<string, never> });
  const create = useWrite((_: null) => creating, { done: 'The row was written', onDone: onClose });
  const refused = faultsOfError(create.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setFound(faults);
    if (Object.keys(faults).length === 0) create.mutate(null);
  };
  return (
    <Dialog open onClose={onClose} title="New row">
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        {columns
          .filter(({ deprecated }) => !deprecated)
          .map((column) => (
            <ColumnField
              key={column.name}
              column={column}
              isNeeded={column.required || column.name === identity}
              text={texts[column.name] ?? ''}
              onChange={(text) => setTexts({ ...texts, [column.name]: text })}
              error={
                faultAt(found, column.name) ??
                faultAt(refused, `data.${column.name}`) ??
                (column.name === identity && refused['name'] !== undefined ? refused['name'] : null)
              }
            />
          ))}
        <FormEnd call={creating} write={create} onClose={onClose}>
          Write row
        </FormEnd>
      </form>
    </Dialog>
  );
}

function rowOf(
  columns: readonly Column[],
  identity: string,
  texts: Texts,
): { data: Record<string, unknown>; faults: Faults } {
  const data: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const { name, type, required } of columns) {
    const read = valueOfText(texts[name] ?? '', type);
    if ('fault' in read) faults[name] = read.fault;
    else if (read.value !== null) data[name] = read.value;
    else if (required || name === identity) faults[name] = 'is needed';
  }
  return { data, faults };
}

function ColumnField({
  column: { name, type, description },
  isNeeded,
  text,
  onChange,
  error,
}: {
  column: Column;
  isNeeded: boolean;
  text: string;
  onChange: (text: string) => void;
  error: string | null;
}) {
  const shared = {
    label: `${name}${isNeeded ? '' : ' (optional)'}`,
    hint: description ?? (type === 'string' ? undefined : type),
    value: text,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
    error,
  };
  if (type === 'boolean')
    return (
      <Select
        {...shared}
        options={[
          { value: '', label: 'no value' },
          { value: 'true', label: 'true' },
          { value: 'false', label: 'false' },
        ]}
      />
    );
  if (type === 'object' || type === 'array' || type === 'any')
    return <TextArea {...shared} rows={3} spellCheck={false} />;
  return <TextField {...shared} inputMode={type === 'number' ? 'decimal' : undefined} />;
}
