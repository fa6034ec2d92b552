import { Select, Switch, TextArea, TextField } from '../../../ui';
import type { EntryBody } from './entry-body';
import { kindChoices, type MemoryEntry } from './memory-kinds';

const importanceMost = 100;

/** What an entry says and how it is kept. */
export function EntryFields({
  body,
  onChange,
  faultAt,
}: {
  body: EntryBody;
  onChange: (part: Partial<EntryBody>) => void;
  faultAt: (member: string) => string | null;
}) {
  return (
    <>
      <TextArea
        label="Content"
        rows={6}
        dir="auto"
        value={body.content}
        onChange={({ target }) => onChange({ content: target.value })}
        error={faultAt('content')}
      />
      <TextField
        label="Summary"
        hint="Stands for the content where there is little room."
        dir="auto"
        maxLength={140}
        value={body.summary ?? ''}
        onChange={({ target }) => onChange({ summary: target.value })}
        error={faultAt('summary')}
      />
      <div className="flex flex-wrap items-end gap-4">
        <Select
          label="Kind"
          className="w-36"
          value={body.kind ?? 'fact'}
          options={kindChoices}
          onChange={({ target }) => onChange({ kind: target.value as MemoryEntry['kind'] })}
        />
        <TextField
          label="Importance"
          className="w-28"
          type="number"
          min={0}
          max={importanceMost}
          value={body.importance ?? ''}
          onChange={({ target }) => onChange({ importance: target.value === '' ? undefined : Number(target.value) })}
          error={faultAt('importance')}
        />
        <div className="flex h-8 items-center">
          <Switch label="Pinned" checked={body.pinned ?? false} onChange={(pinned) => onChange({ pinned })} />
        </div>
      </div>
    </>
  );
}
