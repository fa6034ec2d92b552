import { useState } from 'react';
import type { Schema } from '@aos/client';
import { call } from '../../api/call';
import { useItem } from '../../api/hooks';
import { PrincipalName, SessionLink } from '../../names/name';
import { Button, CallShown, DestroyByName, Dialog, ErrorNote, Facts, Id, ItemView, JsonView, Time } from '../../ui';
import { bytesText } from './bytes-text';
import { SignedLink } from './signed-link';
import { useDownload } from './use-download';

type Artifact = Schema<'Artifact'>;

/** One file: what it is, its bytes, a link to them, and its end. */
export function FileDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const file = useItem(call('artifacts', 'get', id));
  return (
    <Dialog open onClose={onClose} title={file.data?.name ?? 'File'}>
      <ItemView item={file}>{(value) => <OneFile of={value} onClose={onClose} />}</ItemView>
    </Dialog>
  );
}

function OneFile({ of, onClose }: { of: Artifact; onClose: () => void }) {
  const [isDeleting, setDeleting] = useState(false);
  const download = useDownload();
  const deleting = deletionOf(of);
  return (
    <>
      <FileFacts of={of} />
      {of.metadata && Object.keys(of.metadata).length > 0 && <JsonView label="Metadata" value={of.metadata} />}
      {download.error && <ErrorNote error={download.error} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Button icon="trash" needs={deleting} onClick={() => setDeleting(true)}>
          Delete…
        </Button>
        <div className="flex gap-2">
          <CallShown call={call('artifacts', 'getContent', of.id)} />
          <Button look="primary" icon="download" busy={download.isPending} onClick={() => download.mutate(of)}>
            {download.isPending ? 'Reading…' : 'Download'}
          </Button>
        </div>
      </div>
      <SignedLink artifactId={of.id} />
      <DestroyByName
        open={isDeleting}
        onClose={() => setDeleting(false)}
        title="Delete this file"
        name={of.name}
        consequence="Its content is gone at once, links to it too. Model calls that begin later are told so."
        call={deleting}
        changes={['artifacts']}
        done={`${of.name} was deleted`}
        onDone={onClose}
      />
    </>
  );
}

/** A file of a session is deleted as its attachment, by all who may send input there. */
function deletionOf({ id, session_id: session }: Artifact) {
  return session === undefined ? call('artifacts', 'delete', id) : call('sessions', 'deleteAttachment', session, id);
}

function FileFacts({ of }: { of: Artifact }) {
  return (
    <Facts
      facts={[
        ['Id', <Id key="id" value={of.id} short />],
        ['Size', bytesText(of.size_bytes)],
        [
          'Type',
          <bdi key="type" className="break-all">
            {of.mime_type}
          </bdi>,
        ],
        of.session_id ? ['Session', <SessionLink key="session" id={of.session_id} />] : null,
        ['Owner', of.owner.kind === 'team' ? 'The team' : <PrincipalName key="owner" id={of.owner.id} />],
        ['Seen by', of.visibility === 'private' ? 'its owner' : 'the organization'],
        of.sha256 ? ['SHA-256', <Id key="digest" value={of.sha256} short />] : null,
        of.conversion ? ['Text for models', conversionText(of.conversion)] : null,
        ['Made', <Time key="made" at={of.created_at} form="whole" />],
        of.created_by ? ['By', <PrincipalName key="by" id={of.created_by} />] : null,
      ]}
    />
  );
}

function conversionText({ state, error }: NonNullable<Artifact['conversion']>): string {
  switch (state) {
    case 'converting':
      return 'is being taken out';
    case 'ready':
      return 'is ready';
    case 'failed':
      return error === undefined ? 'could not be taken out' : `could not be taken out: ${error}`;
  }
}
