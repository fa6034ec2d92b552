import { useId } from 'react';
import { call } from '../../api/call';
import { useRows } from '../../api/hooks';
import { TextField } from '../../ui';
import { readerZone, type Change, type RoutineDraft, type TriggerKind } from './routine-draft';

const kinds: readonly { value: TriggerKind; label: string }[] = [
  { value: 'cron', label: 'Cron' },
  { value: 'interval', label: 'Interval' },
  { value: 'at', label: 'Once' },
  { value: 'event', label: 'Event' },
];

export function TriggerKinds({ value, onChange }: { value: TriggerKind; onChange: (kind: TriggerKind) => void }) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label="Trigger" className="flex flex-wrap gap-x-5 gap-y-2">
      {kinds.map(({ value: kind, label }) => (
        <label key={kind} className="flex items-center gap-2">
          <input
            type="radio"
            name={name}
            checked={value === kind}
            onChange={() => onChange(kind)}
            className="accent-accent size-4"
          />
          {label}
        </label>
      ))}
    </div>
  );
}

/** Cron, interval or one time, with its zone and what ends it. */
export function ScheduleFields({ draft, onChange }: { draft: RoutineDraft; onChange: Change }) {
  const local = `In your time zone, ${readerZone}.`;
  return (
    <>
      {draft.trigger === 'cron' && (
        <TextField
          label="Cron pattern"
          hint="Five fields: minute, hour, day of month, month, day of week."
          required
          spellCheck={false}
          value={draft.cron}
          onChange={({ target }) => onChange({ cron: target.value })}
        />
      )}
      {draft.trigger === 'interval' && (
        <TextField
          label="Every"
          hint="A duration such as 90s, 15m, 1h30m or 7d, from 1s to 366d."
          required
          spellCheck={false}
          value={draft.interval}
          onChange={({ target }) => onChange({ interval: target.value })}
        />
      )}
      {draft.trigger === 'at' && (
        <TextField
          label="At"
          hint={local}
          required
          type="datetime-local"
          value={draft.at}
          onChange={({ target }) => onChange({ at: target.value })}
        />
      )}
      <ZoneField value={draft.timezone} onChange={(timezone) => onChange({ timezone })} />
      {draft.trigger !== 'at' && <Ends draft={draft} onChange={onChange} hint={local} />}
    </>
  );
}

function Ends({ draft, onChange, hint }: { draft: RoutineDraft; onChange: Change; hint: string }) {
  return (
    <details open={draft.startsAt !== '' || draft.endsAt !== '' || draft.runsMax !== ''}>
      <summary className="text-muted text-xs font-medium">Beginning and end</summary>
      <div className="flex flex-col gap-4 pt-3">
        <TextField
          label="Not before"
          hint={hint}
          type="datetime-local"
          value={draft.startsAt}
          onChange={({ target }) => onChange({ startsAt: target.value })}
        />
        <TextField
          label="Not after"
          hint={hint}
          type="datetime-local"
          value={draft.endsAt}
          onChange={({ target }) => onChange({ endsAt: target.value })}
        />
        <TextField
          label="Runs at most"
          type="number"
          min={1}
          step={1}
          value={draft.runsMax}
          onChange={({ target }) => onChange({ runsMax: target.value })}
        />
      </div>
    </details>
  );
}

function ZoneField({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  const id = useId();
  return (
    <>
      <TextField
        label="Time zone"
        required
        list={id}
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}

/** Which event sets it off, and on what condition. */
export function EventFields({ draft, onChange }: { draft: RoutineDraft; onChange: Change }) {
  const id = useId();
  const { rows: families } = useRows(call('catalog', 'listEvents'));
  const types = families.flatMap(({ prefix, event_types: all }) => [`${prefix}.*`, ...all.map(({ name }) => name)]);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Event type"
        hint="One type, or a prefix with .*"
        required
        list={id}
        spellCheck={false}
        value={draft.eventType}
        onChange={({ target }) => onChange({ eventType: target.value })}
      />
      <datalist id={id}>
        {types.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TextField
        label="Connection"
        hint="Only events of this integration; may be left empty."
        spellCheck={false}
        value={draft.integrationId}
        onChange={({ target }) => onChange({ integrationId: target.value })}
      />
      <TextField
        label="Condition"
        hint="An expression over event and meta, such as event.role == 'user'; may be left empty."
        className="sm:col-span-2"
        spellCheck={false}
        value={draft.condition}
        onChange={({ target }) => onChange({ condition: target.value })}
      />
    </div>
  );
}
