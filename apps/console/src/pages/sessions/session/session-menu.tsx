import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Reply, RequestBody } from '@aos/client';
import { call } from '../../../api/call';
import { useService, useWrite } from '../../../api/hooks';
import { saveFile } from '../../../api/save-file';
import { useToast } from '../../../api/say';
import { ConfirmByName, ErrorNote, Menu, numberText } from '../../../ui';
import { exportName, exportTranscript, type ExportForm } from '../export/transcript-export';
import { sessionName } from './session-head';

type Session = Reply<'getSession'>;

/** What else can be done with a session: take its transcript along, archive it, delete it. */
export function SessionMenu({ session }: { session: Session }) {
  const svc = useService();
  const [isDeleting, setDeleting] = useState(false);
  const [rows, setRows] = useState<number | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const other = session.status === 'archived' ? 'active' : 'archived';
  const body = { status: other } as RequestBody<'updateSession'>;
  const archive = useWrite((_: null) => call('sessions', 'update', session.id, body), {
    done: other === 'active' ? 'The session is active again' : 'Archived',
  });
  const take = (form: ExportForm) => {
    setError(null);
    setRows(0);
    exportTranscript(svc, session.id, form, { progress: setRows })
      .then((file) => saveFile(file, exportName(session, form)))
      .catch((fault: unknown) => setError(fault instanceof Error ? fault : new Error(String(fault))))
      .finally(() => setRows(null));
  };
  return (
    <>
      {rows !== null && (
        <span role="status" className="text-muted text-xs">
          {numberText(rows)} rows read…
        </span>
      )}
      <Menu
        label="More"
        items={[
          { label: 'Export as JSON', icon: 'download', onSelect: () => take('json') },
          { label: 'Export as Markdown', icon: 'download', onSelect: () => take('markdown') },
          {
            label: other === 'active' ? 'Make active' : 'Archive',
            needs: call('sessions', 'update', session.id, body),
            onSelect: () => archive.mutate(null),
          },
          {
            label: 'Delete…',
            icon: 'trash',
            danger: true,
            needs: call('sessions', 'delete', session.id),
            onSelect: () => setDeleting(true),
          },
        ]}
      />
      {(error ?? archive.error) && <ErrorNote error={(error ?? archive.error) as Error} />}
      {isDeleting && <DeleteSession session={session} onClose={() => setDeleting(false)} />}
    </>
  );
}

function DeleteSession({ session, onClose }: { session: Session; onClose: () => void }) {
  const svc = useService();
  const client = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const name = sessionName(session);
  const remove = useMutation({
    mutationFn: () => svc.sessions.delete(session.id),
    onMutate: () => location.pathname,
    onSuccess: async (_gone, _asked, page) => {
      if (page === location.pathname) await navigate({ to: '/sessions' }); // the page of what is gone asks for it no more
      client.removeQueries({ queryKey: ['sessions', 'get', session.id] });
      void client.invalidateQueries({ queryKey: ['sessions', 'list'] });
      toast(`${name} was deleted`);
    },
  });
  return (
    <ConfirmByName
      open
      onClose={onClose}
      title="Delete this session"
      name={name}
      consequence="Its transcript is not to be read any more, and its key is free again. While a turn is open it is refused."
      call={call('sessions', 'delete', session.id)}
      onConfirm={() => remove.mutate()}
      busy={remove.isPending}
      error={remove.error}
    />
  );
}
