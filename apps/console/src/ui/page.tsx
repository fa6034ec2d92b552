import { useEffect, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import type { ApiCall } from '../api/call';
import { CallShown } from './call-shown';

/** What every page has: its heading, the document's title, what can be done, and the call it makes. */
export function Page({
  title,
  back,
  lead,
  call,
  actions,
  children,
}: {
  title: string;
  /** The list that a page of one thing belongs to. */
  back?: { to: string; label: string; search?: Record<string, string> };
  /** Beside the heading: a status, an id. */
  lead?: ReactNode;
  call?: ApiCall;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Console`;
  }, [title]);
  return (
    <div className="mx-auto flex w-full max-w-6xl flex-col gap-5 px-4 py-5 md:px-8 md:py-7">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="flex min-w-0 flex-col gap-1">
          {back && (
            <Link
              to={back.to}
              search={back.search as never}
              className="text-muted hover:text-text max-w-full self-start truncate text-xs"
            >
              {back.label} /
            </Link>
          )}
          <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="min-w-0 text-xl font-semibold break-words">{title}</h1>
            {lead}
          </div>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {call && <CallShown call={call} />}
          {actions}
        </div>
      </header>
      {children}
    </div>
  );
}
