import { ApiError } from '@aos/client';
import { Button } from './button';
import { Icon } from './icon';

/** What went wrong: code, message and the id that finds the request in the service's logs. */
export function ErrorNote({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const refusal = error instanceof ApiError ? error : null;
  return (
    <div
      role="alert"
      className="border-bad/40 bg-bad-soft text-text flex flex-wrap items-start gap-3 rounded-md border px-3 py-2"
    >
      <span className="text-bad pt-0.5">
        <Icon name="warning" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="break-words">{error.message}</p>
        {refusal && (
          <p className="text-muted text-xs break-words">
            <code className="font-mono">{refusal.code}</code>
            {refusal.requestId !== null && (
              <>
                {' · request '}
                <code className="font-mono">{refusal.requestId}</code>
              </>
            )}
          </p>
        )}
      </div>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** In place of what the key may not read. */
export function LacksNote({ permission }: { permission: string }) {
  return (
    <p className="border-line bg-sunken text-muted rounded-md border px-3 py-2">
      This needs the permission <code className="text-text font-mono text-xs">{permission}</code>, which this key lacks.
    </p>
  );
}
