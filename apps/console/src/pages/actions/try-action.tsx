import { useState, type FormEvent } from 'react';
import type { JsonObject } from '@aos/client';
import { call } from '../../api/call';
import { useWrite } from '../../api/hooks';
import { useMe } from '../../api/permissions';
import { Button, CallShown, Card, ErrorNote, JsonView, Select, Status, Switch, TextField } from '../../ui';
import { JsonForm } from '../definitions/json-form';
import { RunningJob } from './running-job';
import { executePermission, mayExecute } from './execute-permission';
import { inputFields, valueOfField, type InputField } from './input-fields';

type Input = JsonObject;

interface Tried {
  name: string;
  input_schema?: Input;
  annotations?: { read_only?: boolean };
}

/** Runs an action with an input, once, as this key. */
export function TryAction({ action }: { action: Tried }) {
  const { permissions } = useMe();
  const [input, setInput] = useState<Input>({});
  const [faults, setFaults] = useState(0);
  const [isDry, setDry] = useState(false);
  const body = { input, ...(isDry ? { dry_run: true } : {}) };
  const calling = call('actions', 'invoke', action.name, body);
  const run = useWrite((_: Input) => calling, { changes: ['actionInvocations'] });
  const permission = executePermission(action.name);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (faults === 0) run.mutate(input);
  };
  return (
    <Card title="Try it" actions={<CallShown call={calling} label="Run call" />}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <InputForm schema={action.input_schema} input={input} onChange={setInput} onFaults={setFaults} />
        <div className="flex flex-wrap items-center gap-4">
          <Button
            look="primary"
            icon="play"
            type="submit"
            busy={run.isPending}
            disabled={faults > 0}
            needs={mayExecute(permissions, action.name) ? null : permission}
          >
            {run.isPending ? 'Running…' : 'Run'}
          </Button>
          {action.annotations?.read_only && <Switch label="Only check the input" checked={isDry} onChange={setDry} />}
          {!action.annotations?.read_only && <p className="text-muted text-xs">It runs for real, as this key.</p>}
        </div>
      </form>
      <div aria-live="polite" className="flex flex-col gap-3 pt-1 empty:hidden">
        {run.error && <ErrorNote error={run.error} />}
        {run.data && <Result key={run.submittedAt} result={run.data} action={action.name} />}
      </div>
    </Card>
  );
}

function Result({
  result,
  action,
}: {
  result: { status: string; output?: Input; error?: string; job_id?: string };
  action: string;
}) {
  if (result.status === 'active' && result.job_id !== undefined)
    return <RunningJob action={action} jobId={result.job_id} />;
  return (
    <div className="flex flex-col gap-2">
      <p>
        <Status value={result.status} />
      </p>
      {result.error !== undefined && <p className="text-bad break-words">{result.error}</p>}
      {result.output !== undefined && <JsonView label="Output" value={result.output} />}
    </div>
  );
}

function InputForm({
  schema,
  input,
  onChange,
  onFaults,
}: {
  schema: Input | undefined;
  input: Input;
  onChange: (input: Input) => void;
  onFaults: (count: number) => void;
}) {
  const fields = inputFields(schema);
  const [isJson, setJson] = useState(false);
  if (fields === null || isJson)
    return (
      <div className="flex flex-col gap-2">
        <JsonForm label="Input" body={input} onChange={onChange} onFaults={onFaults} />
        {fields !== null && (
          <Button className="self-start" look="quiet" onClick={() => setJson(false)}>
            As fields
          </Button>
        )}
      </div>
    );
  return (
    <div className="flex flex-col gap-3">
      {fields.map((field) => (
        <FieldOf
          key={field.name}
          field={field}
          value={input[field.name]}
          onChange={(value) => onChange(JSON.parse(JSON.stringify({ ...input, [field.name]: value })) as Input)}
        />
      ))}
      <Button className="self-start" look="quiet" icon="code" onClick={() => setJson(true)}>
        As JSON
      </Button>
    </div>
  );
}

function FieldOf({
  field,
  value,
  onChange,
}: {
  field: InputField;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const shared = {
    label: `${field.name}${field.isRequired ? '' : ' (optional)'}`,
    hint: field.description,
    value: value === undefined ? '' : String(value),
    onChange: ({ target }: { target: { value: string } }) => onChange(valueOfField(field, target.value)),
  };
  if (field.kind === 'text' || field.kind === 'number')
    return <TextField {...shared} type={field.kind} {...(field.kind === 'number' ? { step: 'any' } : {})} />;
  const choices = field.kind === 'boolean' ? ['true', 'false'] : field.choices;
  return (
    <Select
      {...shared}
      options={[{ value: '', label: 'not given' }, ...choices.map((one) => ({ value: one, label: one }))]}
    />
  );
}
