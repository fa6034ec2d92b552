import type { ReactNode } from 'react';
import { useAgents } from '../../api/use-agents';
import { Select, TextArea, TextField } from '../../ui';
import { nextRuns } from './next-runs';
import { NextRuns } from './next-runs-view';
import { scheduleOf, type Change, type RoutineDraft } from './routine-draft';
import { EventFields, ScheduleFields, TriggerKinds } from './trigger-fields';

const previewed = 5;

/** The fields of a routine; `isNew` ones are fixed later. */
export function RoutineFields({
  draft,
  onChange,
  isNew = false,
}: {
  draft: RoutineDraft;
  onChange: Change;
  isNew?: boolean;
}) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          hint={isNew ? 'The beginning of the instructions when left empty.' : undefined}
          required={!isNew}
          maxLength={128}
          dir="auto"
          value={draft.name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        {isNew && <AgentField value={draft.agentId} onChange={(agentId) => onChange({ agentId })} />}
      </div>
      <TextArea
        label="Instructions"
        hint="The agent reads them as the message of each run."
        required
        rows={4}
        dir="auto"
        value={draft.instructions}
        onChange={({ target }) => onChange({ instructions: target.value })}
      />
      <Group title="When it runs">
        <TriggerKinds value={draft.trigger} onChange={(trigger) => onChange({ trigger })} />
        {draft.trigger === 'event' ? (
          <EventFields draft={draft} onChange={onChange} />
        ) : (
          <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_13rem]">
            <div className="flex min-w-0 flex-col gap-4">
              <ScheduleFields draft={draft} onChange={onChange} />
            </div>
            <Preview draft={draft} />
          </div>
        )}
      </Group>
      <Group title="Bounds and custody">
        <Bounds draft={draft} onChange={onChange} isNew={isNew} />
      </Group>
    </>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="border-line flex min-w-0 flex-col gap-4 border-t pt-3">
      <legend className="float-left w-full font-semibold">{title}</legend>
      {children}
    </fieldset>
  );
}

function AgentField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { rows } = useAgents();
  return (
    <Select
      label="Agent"
      required
      value={value}
      options={[{ value: '', label: 'Choose…' }, ...rows.map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

/** When the schedule of the draft would run, counted here as the service counts it. */
function Preview({ draft }: { draft: RoutineDraft }) {
  const schedule = scheduleOf(draft);
  const times = schedule === null ? [] : nextRuns(schedule, Date.now(), previewed);
  return (
    <div className="bg-sunken rounded-md px-3 py-2.5" aria-live="polite">
      <p className="text-muted pb-1.5 text-xs font-medium">Next runs</p>
      {times.length === 0 ? (
        <p className="text-muted">None as it stands.</p>
      ) : (
        <NextRuns times={times} timezone={draft.timezone} />
      )}
    </div>
  );
}

function Bounds({ draft, onChange, isNew }: { draft: RoutineDraft; onChange: Change; isNew: boolean }) {
  const number = { type: 'number', min: 0, step: 'any', required: true, inputMode: 'decimal' } as const;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        {...number}
        label="Credits a run"
        value={draft.perRun}
        onChange={({ target }) => onChange({ perRun: target.value })}
      />
      <TextField
        {...number}
        label="Credits a day"
        value={draft.perDay}
        onChange={({ target }) => onChange({ perDay: target.value })}
      />
      {isNew && (
        <Select
          label="Owned by"
          hint="A person's routine runs as that person."
          value={draft.ownerKind}
          options={[
            { value: 'team', label: 'The team' },
            { value: 'person', label: 'You' },
          ]}
          onChange={({ target }) => onChange({ ownerKind: target.value as RoutineDraft['ownerKind'] })}
        />
      )}
      <Select
        label="Managed by"
        value={draft.managedBy}
        options={[
          { value: 'team', label: 'All who may build' },
          { value: 'named', label: 'Owner and named managers' },
        ]}
        onChange={({ target }) => onChange({ managedBy: target.value as RoutineDraft['managedBy'] })}
      />
    </div>
  );
}
