import { useMemo } from 'react';
import { CopyButton } from '../../../ui';
import { PlainText } from './rich-text';

const shownChars = 4_000;

/** A value of a call as JSON, a text as it is; a long one is cut until it is wanted whole. */
export function JsonText({ label, value, max = shownChars }: { label: string; value: unknown; max?: number }) {
  const text = useMemo(() => (typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2)), [value]);
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <figcaption className="text-muted flex min-h-8 items-center justify-between text-xs font-medium">
        {label}
        <CopyButton text={text} />
      </figcaption>
      <div tabIndex={0} role="region" aria-label={label} className="bg-sunken max-h-96 overflow-auto rounded-md p-3">
        <PlainText text={text} max={max} mono />
      </div>
    </figure>
  );
}
