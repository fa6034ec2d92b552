import { Fragment } from 'react';

/** An address in full, broken behind its points and slashes where it does not fit. */
export function Address({ of }: { of: string }) {
  return (
    <code className="font-mono text-xs break-words">
      {of.split(/(?<=[./?&=-])/).map((part, at) => (
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </code>
  );
}
