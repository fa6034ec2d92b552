import { useState } from 'react';
import type { CheckedWrite } from '../../api/checked-write';
import { CodeEditor, Select, Switch, TextArea, TextField } from '../../ui';
import { objectFrom } from '../definitions/json-form';
import { TagsField } from '../definitions/tags-field';
import type { Draft } from '../definitions/use-draft';
import type { Action, ActionBody } from './action-body';

interface Parts {
  action: Action;
  draft: Draft<ActionBody>;
  faultAt: CheckedWrite<ActionBody>['faultAt'];
  onFaults: (count: number) => void;
}

const formats = [
  { value: 'legacy', label: 'legacy: {step_key, parameters}' },
  { value: 'signed_context_v1', label: 'signed context: who calls and from where' },
];

/** What people change of an action. Name and kind are fixed. */
export function ActionForm({ action, draft, faultAt, onFaults }: Parts) {
  const { body, change } = draft;
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <TextField
        label="Title"
        maxLength={200}
        value={body.title ?? ''}
        onChange={({ target }) => change({ title: target.value })}
        error={faultAt('title')}
      />
      <TextArea
        label="Description"
        hint="The model reads it to know when to call the action."
        rows={3}
        value={body.description ?? ''}
        onChange={({ target }) => change({ description: target.value })}
        error={faultAt('description')}
      />
      {action.endpoint_kind === 'http' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="URL"
            type="url"
            value={body.endpoint_url ?? ''}
            onChange={({ target }) => change({ endpoint_url: target.value })}
            error={faultAt('endpoint_url')}
          />
          <Select
            label="Body that is sent"
            options={formats}
            value={body.invocation_format ?? 'legacy'}
            onChange={({ target }) => change({ invocation_format: target.value as ActionBody['invocation_format'] })}
            error={faultAt('invocation_format')}
          />
        </div>
      )}
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <SchemaEditor
          label="Input schema"
          value={body.input_schema}
          onChange={(input_schema) => change({ input_schema })}
          onFaults={onFaults}
          error={faultAt('input_schema')}
        />
        <SchemaEditor
          label="Output schema"
          value={body.output_schema}
          onChange={(output_schema) => change({ output_schema })}
          onFaults={onFaults}
          error={faultAt('output_schema')}
        />
      </div>
      <Annotations draft={draft} error={faultAt('annotations')} />
      <TagsField value={body.tags} onChange={(tags) => change({ tags })} error={faultAt('tags')} />
    </div>
  );
}

type JsonSchema = NonNullable<ActionBody['input_schema']>;

/** A JSON Schema as text. An empty text is none. */
function SchemaEditor({
  label,
  value,
  onChange,
  onFaults,
  error,
}: {
  label: string;
  value: JsonSchema | undefined;
  onChange: (schema: JsonSchema) => void;
  onFaults: (count: number) => void;
  error: string | null;
}) {
  const [text, setText] = useState(() => JSON.stringify(value ?? {}, null, 2));
  const change = (next: string): void => {
    setText(next);
    const read = objectFrom<JsonSchema>(next);
    onFaults(read === null ? 1 : 0);
    if (read !== null) onChange(read);
  };
  return (
    <div className="min-w-0">
      <CodeEditor label={label} language="json" value={text} onChange={change} minLines={8} maxLines={20} />
      {error && <p className="text-bad text-xs">{error}</p>}
    </div>
  );
}

function Annotations({ draft: { body, change }, error }: { draft: Draft<ActionBody>; error: string | null }) {
  const { annotations } = body;
  const set = (part: NonNullable<ActionBody['annotations']>): void =>
    change({ annotations: { ...annotations, ...part } });
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-xs font-medium">Effects</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <Switch
          label="Reads only"
          checked={annotations?.read_only ?? false}
          onChange={(read_only) => set({ read_only })}
        />
        <Switch
          label="May be repeated"
          checked={annotations?.idempotent ?? false}
          onChange={(idempotent) => set({ idempotent })}
        />
        <Switch
          label="Cannot be undone"
          checked={annotations?.destructive ?? false}
          onChange={(destructive) => set({ destructive })}
        />
      </div>
      {error && <p className="text-bad text-xs">{error}</p>}
    </fieldset>
  );
}
