import { lazy, Suspense, useState } from 'react';
import { call } from '../../../api/call';
import { useRows } from '../../../api/hooks';
import { loaded } from '../../../page-loading';
import { Button, CallShown, EmptyState, ErrorNote, LacksNote, Skeleton } from '../../../ui';
import { bytesText } from '../../files/bytes-text';
import { visibleText } from '../text/visible-text';

const AttachFile = lazy(async () => ({ default: (await loaded(() => import('../../files/attach-file'))).AttachFile }));
const FileDialog = lazy(async () => ({ default: (await loaded(() => import('../../files/file-dialog'))).FileDialog }));

/** The files of a session, oldest first. They are seen by all who see it, and go with it. */
export function SessionFiles({ sessionId }: { sessionId: string }) {
  const files = useRows(call('artifacts', 'list', { session_id: sessionId, limit: 50 }));
  const [open, setOpen] = useState<string | null>(null);
  const [isAttaching, setAttaching] = useState(false);
  if (files.lacks !== null) return <LacksNote permission={files.lacks} />;
  if (files.isPending) return <Skeleton lines={4} />;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap justify-end gap-2">
        <CallShown call={files.call} />
        <Button icon="upload" needs="svc.resource.use" onClick={() => setAttaching(true)}>
          Attach a file
        </Button>
      </div>
      {files.error && <ErrorNote error={files.error} onRetry={files.reload} />}
      {files.rows.length === 0 && files.error === null && (
        <EmptyState icon="file" title="No files yet">
          What the agent saves in this session stands here, and what is attached to it.
        </EmptyState>
      )}
      <ul aria-label="Files" className="border-line divide-line divide-y rounded-md border empty:hidden">
        {files.rows.map(({ id, name, size_bytes: size }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => setOpen(id)}
              className="hover:bg-hover flex w-full items-center gap-3 px-2.5 py-1.5 text-left -outline-offset-2"
            >
              <bdi className="min-w-0 flex-1 truncate">{visibleText(name)}</bdi>
              <span className="text-muted text-xs whitespace-nowrap tabular-nums">{bytesText(size)}</span>
            </button>
          </li>
        ))}
      </ul>
      {files.hasMore && (
        <Button onClick={files.loadMore} busy={files.isLoadingMore}>
          {files.isLoadingMore ? 'Loading…' : 'Load more'}
        </Button>
      )}
      {isAttaching && (
        <Suspense fallback={null}>
          <AttachFile sessionId={sessionId} onClose={() => setAttaching(false)} />
        </Suspense>
      )}
      {open !== null && (
        <Suspense fallback={null}>
          <FileDialog id={open} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </div>
  );
}
