import { call } from '../../../api/call';
import { useWrite } from '../../../api/hooks';
import { Button, ErrorNote } from '../../../ui';
import type { Connection } from './connection-draft';

/** Sends the holder of an account to its provider. The browser comes back to the connection's page. */
export function AuthorizeConnection({ of }: { of: Connection }) {
  const authorizing = call('connections', 'authorize', of.id, { return_to: `${location.origin}${location.pathname}` });
  const authorize = useWrite((_: null) => authorizing, {
    onDone: ({ authorization_url: url }) => {
      if (/^https?:/.test(url)) location.assign(url);
    },
  });
  const isWaiting = of.status === 'needs_authorization';
  return (
    <>
      {authorize.error && (
        <div className="order-last basis-full">
          <ErrorNote error={authorize.error} />
        </div>
      )}
      <Button
        icon="external"
        look={isWaiting ? 'primary' : 'plain'}
        needs={authorizing}
        busy={authorize.isPending}
        onClick={() => authorize.mutate(null)}
      >
        {isWaiting ? 'Authorize' : 'Authorize again'}
      </Button>
    </>
  );
}
