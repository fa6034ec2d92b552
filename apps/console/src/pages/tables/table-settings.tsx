import { useState } from 'react';
import { call } from '../../api/call';
import { useCheckedWrite, type CheckedWrite } from '../../api/checked-write';
import { Card, Switch, Tabs, TextArea, TextField } from '../../ui';
import { DraftForm } from '../definitions/draft-card';
import { JsonForm } from '../definitions/json-form';
import { TagsField } from '../definitions/tags-field';
import { useDraft, type Draft } from '../definitions/use-draft';
import { ColumnsField } from './columns-field';
import { bodyOf, type Table, type TableBody } from './table-body';

/** Name, words, tags and columns of a table. */
export function TableSettings({ table, refused }: { table: Table; refused: string | null }) {
  const draft = useDraft(bodyOf(table));
  const [faultCount, setFaultCount] = useState(0);
  const save = useCheckedWrite(
    'UpdateTableRequest',
    (body: Partial<TableBody>) => call('tables', 'update', table.id, body),
    { done: 'Saved' },
  );
  return (
    <Card title="Table">
      <DraftForm
        draft={draft}
        save={save}
        call={call('tables', 'update', table.id, draft.changes)}
        faultCount={faultCount}
        refused={refused}
      >
        <Tabs
          label="Form of the table"
          tabs={[
            { value: 'form', label: 'Form', content: <TableForm table={table} draft={draft} faultAt={save.faultAt} /> },
            {
              value: 'json',
              label: 'JSON',
              content: (
                <JsonForm
                  label="Table as JSON"
                  schema="UpdateTableRequest"
                  body={draft.body}
                  onChange={draft.replace}
                  onFaults={setFaultCount}
                />
              ),
            },
          ]}
        />
      </DraftForm>
    </Card>
  );
}

function TableForm({
  table,
  draft: { body, change },
  faultAt,
}: {
  table: Table;
  draft: Draft<TableBody>;
  faultAt: CheckedWrite<TableBody>['faultAt'];
}) {
  const schema = body.schema ?? table.schema;
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <TextField
        label="Name"
        maxLength={64}
        spellCheck={false}
        value={body.name ?? ''}
        onChange={({ target }) => change({ name: target.value })}
        error={faultAt('name')}
      />
      <TextArea
        label="Description"
        rows={2}
        value={body.description ?? ''}
        onChange={({ target }) => change({ description: target.value })}
        error={faultAt('description')}
      />
      <TextArea
        label="Instructions"
        hint="Agents read them before they use the table."
        rows={3}
        maxLength={2000}
        value={body.instructions ?? ''}
        onChange={({ target }) => change({ instructions: target.value })}
        error={faultAt('instructions')}
      />
      <ColumnsField
        columns={schema.columns}
        stored={table.schema.columns.length}
        identity={schema.identity_column}
        onChange={(columns) => change({ schema: { ...schema, columns } })}
        error={faultAt('schema')}
      />
      <Switch
        label="Open: rows may have further members"
        checked={schema.open ?? false}
        onChange={(open) => change({ schema: { ...schema, open } })}
      />
      <TagsField value={body.tags} onChange={(tags) => change({ tags })} error={faultAt('tags')} />
    </div>
  );
}
