import { useState } from 'react';
import { call } from '../../api/call';
import { useWrite } from '../../api/hooks';
import { Button, CallShown, CopyButton, ErrorNote, Select, Time } from '../../ui';

const lives = [
  { value: '300', label: 'for 5 minutes' },
  { value: '1800', label: 'for half an hour' },
  { value: '3600', label: 'for an hour' },
];

/** A link that needs no key, for a time. */
export function SignedLink({ artifactId }: { artifactId: string }) {
  const [ttl, setTtl] = useState('300');
  const signing = call('artifacts', 'createSignedUrl', artifactId, { ttl_seconds: Number(ttl) });
  const sign = useWrite((_: null) => signing);
  return (
    <section aria-label="Signed link" className="border-line flex flex-col gap-2 border-t pt-3">
      <h3 className="text-xs font-semibold">A link without a key</h3>
      <div className="flex flex-wrap items-end gap-2">
        <Select
          label="How long it works"
          hideLabel
          className="w-44"
          options={lives}
          value={ttl}
          onChange={({ target }) => setTtl(target.value)}
        />
        <Button icon="link" needs={signing} busy={sign.isPending} onClick={() => sign.mutate(null)}>
          Make a link
        </Button>
        <CallShown call={signing} />
      </div>
      {sign.error && <ErrorNote error={sign.error} />}
      {sign.data && (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <code
              aria-label="The link"
              className="bg-sunken max-h-24 min-w-0 flex-1 overflow-y-auto rounded-md px-3 py-2 font-mono text-xs break-all select-all"
              tabIndex={0}
            >
              {sign.data.url}
            </code>
            <CopyButton text={sign.data.url} label="Copy the link" />
          </div>
          <p className="text-muted text-xs">
            It opens the file for all who have it, until <Time at={sign.data.expires_at} form="clock" />, and as long as
            this key may read it.
          </p>
        </>
      )}
    </section>
  );
}
