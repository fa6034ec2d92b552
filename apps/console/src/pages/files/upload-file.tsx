import { useState, type FormEvent } from 'react';
import type { RequestBody } from '@aos/client';
import { call } from '../../api/call';
import { useWrite } from '../../api/hooks';
import { Dialog, Field, FormEnd, Select, TextField } from '../../ui';
import { bytesText } from './bytes-text';

type Visibility = 'organization' | 'private';

const nameMax = 256;

/** The form of an upload: the fields before the file, so that the service knows them first. */
function formOf(file: File | null, name: string, visibility: Visibility): RequestBody<'createArtifact'> {
  const form = new FormData();
  form.append('name', name);
  form.append('visibility', visibility);
  if (file === null) return form;
  if (file.type !== '') form.append('mime', file.type);
  form.append('size_bytes', String(file.size));
  form.append('file', file, name);
  return form;
}

/** Stores a file of the reader's computer. */
export function UploadFile({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  const [visibility, setVisibility] = useState<Visibility>('organization');
  const form = formOf(file, name, visibility);
  const upload = useWrite((body: RequestBody<'createArtifact'>) => call('artifacts', 'create', body), {
    done: (made) => `${made.name} was stored`,
    onDone: onClose,
  });
  const choose = (chosen: File | null): void => {
    setFile(chosen);
    if (chosen !== null) setName(chosen.name.slice(0, nameMax));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    upload.mutate(form);
  };
  return (
    <Dialog open onClose={onClose} title="Upload a file">
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
        <Select
          label="Who may see it"
          options={[
            { value: 'organization', label: 'The organization' },
            { value: 'private', label: 'Its owner' },
          ]}
          value={visibility}
          onChange={({ target }) => setVisibility(target.value as Visibility)}
        />
        <FormEnd call={call('artifacts', 'create', form)} write={upload} onClose={onClose}>
          {upload.isPending ? 'Uploading…' : 'Upload'}
        </FormEnd>
      </form>
    </Dialog>
  );
}
