import { useState, type FormEvent } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call';
import { useCheckedWrite } from '../../api/checked-write';
import { Dialog, FormEnd, TextArea, TextField } from '../../ui';
import { ColumnsField } from './columns-field';
import type { Column, NewTableBody } from './table-body';

export function NewTable({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [columns, setColumns] = useState<Column[]>([{ name: '', type: 'string' } as Column]);
  const create = useCheckedWrite('CreateTableRequest', (given: NewTableBody) => call('tables', 'create', given), {
    done: (table) => `${table.name} was made`,
    onDone: ({ id }) => void navigate({ to: `/tables/${id}` }),
  });
  const body = {
    name,
    ...(description === '' ? {} : { description }),
    schema: { identity_column: columns[0]?.name ?? '', columns },
    visibility: 'organization',
  } as NewTableBody;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.submit(body);
  };
  return (
    <Dialog open onClose={onClose} title="New table" wide>
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <TextField
          label="Name"
          maxLength={64}
          spellCheck={false}
          placeholder="orders"
          hint="Lower case letters, digits and underscores."
          value={name}
          onChange={({ target }) => setName(target.value)}
          error={create.faultAt('name')}
        />
        <TextArea
          label="Description"
          rows={2}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
          error={create.faultAt('description')}
        />
        <ColumnsField
          columns={columns}
          identity={columns[0]?.name ?? ''}
          onChange={setColumns}
          error={create.faultAt('schema')}
        />
        <p className="text-muted text-xs">
          The identity tells rows apart: its values are unique. It cannot be changed later.
        </p>
        <FormEnd call={call('tables', 'create', body)} write={create} onClose={onClose}>
          Make table
        </FormEnd>
      </form>
    </Dialog>
  );
}
