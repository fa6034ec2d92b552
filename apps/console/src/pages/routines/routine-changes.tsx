import { call } from '../../api/call';
import { useRows } from '../../api/hooks';
import { EmptyState, JsonView, Skeleton, ErrorNote, Button, Status, Time } from '../../ui';

/** Who changed a routine, and what. */
export function RoutineChanges({ id }: { id: string }) {
  const changes = useRows(call('routines', 'listChanges', id, { limit: 20 }));
  if (changes.error) return <ErrorNote error={changes.error} onRetry={changes.reload} />;
  if (changes.isPending) return <Skeleton lines={5} />;
  if (changes.rows.length === 0)
    return (
      <EmptyState icon="edit" title="No changes">
        Each change of the routine is listed here with who made it.
      </EmptyState>
    );
  return (
    <div className="flex flex-col gap-4">
      <ol aria-label="Changes" className="border-line bg-surface divide-line flex flex-col divide-y rounded-lg border">
        {changes.rows.map(({ id: change, action, actor_name, credential_name, changes: what, status, created_at }) => (
          <li key={change} className="flex min-w-0 flex-col gap-2 px-4 py-3">
            <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="font-medium">{action.replace(/[._]/g, ' ')}</span>
              {status === 'failure' && <Status value="failed" />}
              <span className="text-muted text-xs">
                {actor_name && <bdi>{actor_name}</bdi>}
                {credential_name && <> with the key {credential_name}</>} · <Time at={created_at} />
              </span>
            </p>
            {what && Object.keys(what).length > 0 && (
              <details>
                <summary className="text-muted text-xs">{Object.keys(what).join(', ')}</summary>
                <div className="pt-2">
                  <JsonView label={`What was changed: ${action}`} value={what} />
                </div>
              </details>
            )}
          </li>
        ))}
      </ol>
      {changes.hasMore && (
        <div className="flex justify-center">
          <Button onClick={changes.loadMore} busy={changes.isLoadingMore}>
            Load more
          </Button>
        </div>
      )}
    </div>
  );
}
