import { useState } from 'react';
import type { Schema } from '@aos/client';
import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows } from '../../api/hooks';
import { Badge, Button, EmptyState, Page, Select, Table, Time, type Column } from '../../ui';
import { bytesText } from './bytes-text';
import { FileDialog } from './file-dialog';
import { StorageQuota } from './storage-quota';
import { UploadFile } from './upload-file';

type Artifact = Schema<'Artifact'>;

const types = [
  { value: '', label: 'Any' },
  { value: 'text/', label: 'Text' },
  { value: 'image/', label: 'Images' },
  { value: 'audio/', label: 'Audio' },
  { value: 'video/', label: 'Video' },
  { value: 'application/', label: 'Other documents' },
];

const columnsWith = (open: (id: string) => void): readonly Column<Artifact>[] => [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <button
        type="button"
        dir="auto"
        className="max-w-full truncate text-left align-bottom after:absolute after:inset-0"
        onClick={() => open(id)}
      >
        {name}
      </button>
    ),
  },
  { title: 'Size', align: 'right', cell: ({ size_bytes: size }) => bytesText(size) },
  {
    title: 'Type',
    wideOnly: true,
    cell: ({ mime_type: type }) => <bdi className="block max-w-48 truncate">{type}</bdi>,
  },
  {
    title: 'Of',
    wideOnly: true,
    cell: ({ session_id: session, visibility }) => (
      <Badge>{session !== undefined ? 'a session' : visibility === 'private' ? 'you alone' : 'the organization'}</Badge>
    ),
  },
  { title: 'Made', wideOnly: true, cell: ({ created_at: at }) => <Time at={at} /> },
];

/** The files that the reader may see, and how much of the storage is used. */
export default function FilesPage() {
  const [{ mime = '', file = '' }, setFilters] = useFilters();
  const files = useRows(call('artifacts', 'list', { ...(mime && { mime }), limit: 50 }));
  const [isUploading, setUploading] = useState(false);
  const upload = (
    <Button look="primary" icon="upload" needs="svc.resource.build" onClick={() => setUploading(true)}>
      Upload a file
    </Button>
  );
  return (
    <Page title="Files" call={files.call} actions={upload}>
      <StorageQuota />
      <Select
        label="Type"
        className="w-44"
        value={mime}
        options={types}
        onChange={({ target }) => setFilters({ mime: target.value })}
      />
      <Table
        label="Files"
        list={files}
        rowKey={({ id }) => id}
        columns={columnsWith((id) => setFilters({ file: id }))}
        empty={
          <EmptyState
            icon="file"
            title={mime === '' ? 'No files yet' : 'No such file'}
            action={mime === '' ? upload : undefined}
          >
            {mime === ''
              ? 'Files of agents, of workers and of people stand here, the oldest first.'
              : 'Choose another type above.'}
          </EmptyState>
        }
      />
      {file !== '' && <FileDialog id={file} onClose={() => setFilters({ file: '' })} />}
      {isUploading && <UploadFile onClose={() => setUploading(false)} />}
    </Page>
  );
}
