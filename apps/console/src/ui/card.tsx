import type { ReactNode } from 'react';
import { classes } from './class-names';

export function Card({
  title,
  actions,
  children,
  flush = false,
}: {
  title?: string;
  actions?: ReactNode;
  children: ReactNode;
  /** Without a margin inside, for a table. */
  flush?: boolean;
}) {
  return (
    <section aria-label={title} className="border-line bg-surface min-w-0 rounded-lg border">
      {title !== undefined && (
        <header className="border-line flex min-h-11 flex-wrap items-center justify-between gap-2 border-b px-4 py-1">
          <h2 className="text-sm font-semibold">{title}</h2>
          {actions}
        </header>
      )}
      <div className={classes(!flush && 'p-4')}>{children}</div>
    </section>
  );
}

/** Names and values of one thing. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode] | null)[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)] gap-x-6 gap-y-1.5">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]} className="contents">
              <dt className="text-muted">{fact[0]}</dt>
              <dd className="min-w-0 break-words">{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
