import { useState, type FormEvent, type ReactNode } from 'react';
import type { ApiCall } from '../../api/call';
import { useWrite } from '../../api/hooks';
import { Dialog, Field, FormEnd, Select, TextField } from '../../ui';
import { bytesText } from './bytes-text';

const nameMax = 256;

/** Chooses a file of the reader's computer, names it, and sends it. */
export function UploadForm<Result>({
  title,
  fields = {},
  children,
  callFor,
  done,
  changes,
  onClose,
}: {
  title: string;
  /** Further members of the form. */
  fields?: Record<string, string>;
  /** What they are chosen by. */
  children?: ReactNode;
  callFor: (form: FormData) => ApiCall<Promise<Result>>;
  done: string;
  changes?: readonly 'artifacts'[];
  onClose: () => void;
}) {
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  const [convert, setConvert] = useState('false');
  const form = formOf(file, { name, convert, ...fields });
  const upload = useWrite(callFor, { done, changes, onDone: onClose });
  const choose = (chosen: File | null): void => {
    setFile(chosen);
    if (chosen !== null) setName(chosen.name.slice(0, nameMax));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    upload.mutate(form);
  };
  return (
    <Dialog open onClose={onClose} title={title}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="File" hint={file === null ? undefined : bytesText(file.size)}>
          {(given) => (
            <input
              {...given}
              type="file"
              required
              className="file:border-line file:bg-surface file:hover:bg-hover text-muted text-sm file:me-3 file:h-8 file:rounded-md file:border file:px-3 file:font-medium"
              onChange={({ target }) => choose(target.files?.[0] ?? null)}
            />
          )}
        </Field>
        <TextField
          label="Name"
          required
          maxLength={nameMax}
          dir="auto"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        {children}
        <ConvertField value={convert} onChange={setConvert} />
        <FormEnd call={callFor(form)} write={upload} onClose={onClose}>
          {upload.isPending ? 'Uploading…' : 'Upload'}
        </FormEnd>
      </form>
    </Dialog>
  );
}

/** When the text of an office file or a page is taken out. */
function ConvertField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Select
      label="Text for models"
      hint="Of Word, Excel and PowerPoint files, and of pages."
      options={[
        { value: 'false', label: 'Taken out when a model first reads it' },
        { value: 'true', label: 'Taken out at once' },
      ]}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

/** The fields stand before the file, so that the service knows them first. */
function formOf(file: File | null, fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file === null) return form;
  if (file.type !== '') form.append('mime', file.type);
  form.append('size_bytes', String(file.size));
  form.append('file', file, fields['name']);
  return form;
}
