import { call } from '../../api/call';
import { useItem } from '../../api/hooks';
import { CallShown, Card, ItemView, numberText } from '../../ui';
import { bytesText } from './bytes-text';

/** How much of its storage the organization uses. */
export function StorageQuota() {
  const quota = useItem(call('artifacts', 'getStorageQuota'));
  return (
    <Card title="Storage" actions={<CallShown call={quota.call} />}>
      <ItemView item={quota}>
        {({ used_bytes: used, limit_bytes: limit, artifact_count: count, pending_count: pending }) => {
          const share = limit > 0 ? Math.min(1, used / limit) : 1;
          return (
            <div className="flex flex-col gap-2">
              <div
                role="meter"
                aria-label="Use of the storage"
                aria-valuemin={0}
                aria-valuemax={100}
                aria-valuenow={Math.round(share * 100)}
                className="bg-sunken h-1.5 overflow-hidden rounded-full"
              >
                <div
                  className={`h-full rounded-full ${used > 0 ? 'min-w-1' : ''} ${share > 0.9 ? 'bg-bad' : 'bg-accent'}`}
                  style={{ width: `${share * 100}%` }}
                />
              </div>
              <p className="text-muted text-xs">
                {bytesText(used)} of {bytesText(limit)} used by {numberText(count)} {count === 1 ? 'file' : 'files'}
                {pending > 0 && `, ${numberText(pending)} on their way`}
              </p>
            </div>
          );
        }}
      </ItemView>
    </Card>
  );
}
