import type { RequestBody, Schema } from '@aos/client';
import { call } from '../../../api/call';
import { useRows } from '../../../api/hooks';
import { sourceKinds } from '../../../api/source-kinds';
import { Select, TextField } from '../../../ui';
import { LinesField } from '../../definitions/lines-field';

export type Webhook = Schema<'Webhook'>;
export type WebhookBody = RequestBody<'createWebhook'>;

interface Parts {
  body: WebhookBody;
  onChange: (part: Partial<WebhookBody>) => void;
  faultAt: (member: string) => string | null;
}

/** Address, types, kinds of source and description of a web hook. */
export function WebhookFields(parts: Parts) {
  const { body, onChange, faultAt } = parts;
  return (
    <>
      <TextField
        label="URL"
        type="url"
        required
        maxLength={2048}
        spellCheck={false}
        placeholder="https://example.com/events"
        hint="The events are sent here with POST, each signed in the form of Standard Webhooks."
        value={body.url}
        onChange={({ target }) => onChange({ url: target.value })}
        error={faultAt('url')}
      />
      <TypesField {...parts} />
      <SourcesField {...parts} />
      <TextField
        label="Description"
        maxLength={500}
        dir="auto"
        value={body.description ?? ''}
        onChange={({ target }) => onChange({ description: target.value === '' ? undefined : target.value })}
        error={faultAt('description')}
      />
    </>
  );
}

function TypesField({ body: { event_types: types }, onChange, faultAt }: Parts) {
  const { rows: families } = useRows(call('catalog', 'listEvents'));
  const left = families.map(({ prefix }) => `${prefix}.*`).filter((family) => !types.includes(family));
  return (
    <div className="flex flex-col gap-2">
      <LinesField
        label="Types of events"
        required
        placeholder={'session.*\ntable.row.created'}
        hint="One a line: a type, or a family such as session.*"
        value={types}
        onChange={(event_types) => onChange({ event_types })}
        error={faultAt('event_types')}
      />
      {left.length > 0 && (
        <Select
          label="Add a family"
          hideLabel
          className="w-56 max-w-full"
          options={[{ value: '', label: 'Add a family…' }, ...left.map((value) => ({ value, label: value }))]}
          value=""
          onChange={({ target }) => target.value !== '' && onChange({ event_types: [...types, target.value] })}
        />
      )}
    </div>
  );
}

function SourcesField({ body: { source_kinds: kinds = [] }, onChange, faultAt }: Parts) {
  const toggle = (kind: string): void => {
    const next = kinds.includes(kind) ? kinds.filter((other) => other !== kind) : [...kinds, kind];
    onChange({ source_kinds: next.length === 0 ? undefined : next });
  };
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="pb-1 text-xs font-medium">Only of these sources</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {[...new Set([...sourceKinds, ...kinds])].map((kind) => (
          <label key={kind} className="inline-flex items-center gap-1.5">
            <input type="checkbox" checked={kinds.includes(kind)} onChange={() => toggle(kind)} />
            {kind.replace(/_/g, ' ')}
          </label>
        ))}
      </div>
      <p className="text-muted text-xs">None chosen: of all sources.</p>
      {faultAt('source_kinds') && <p className="text-bad text-xs">{faultAt('source_kinds')}</p>}
    </fieldset>
  );
}
