import { useEffect, type ReactNode } from 'react';
import { useMe } from '../api/permissions';
import { keyStore } from '../session-key/key-store';
import { Button, Icon } from '../ui';

/** What stands around the two pages of questions: the way to the inbox, and whose key the tab has. */
export function Shell({ children }: { children: ReactNode }) {
  const { organization, principal } = useMe();
  return (
    <>
      <a
        href="#main"
        className="bg-accent text-on-accent sr-only z-50 rounded-md px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the page
      </a>
      <header className="border-line bg-surface border-b">
        <div className="mx-auto flex min-h-14 max-w-3xl items-center gap-4 px-4">
          <span className="bg-accent text-on-accent flex size-6 shrink-0 items-center justify-center rounded-md">
            <Icon name="events" size={14} />
          </span>
          <bdi className="min-w-0 truncate font-semibold max-sm:hidden">{organization.name}</bdi>
          <nav aria-label="Pages" className="flex-1">
            <a
              href="/interactions"
              aria-current={location.pathname === '/interactions' ? 'page' : undefined}
              className="text-muted aria-[current]:bg-accent-soft aria-[current]:text-accent hover:text-text inline-flex h-8 items-center gap-2 rounded-md px-2.5 font-medium"
            >
              <Icon name="question" />
              Inbox
            </a>
          </nav>
          <bdi className="text-muted min-w-0 truncate text-xs">{principal.name}</bdi>
          <Button icon="logout" onClick={() => keyStore.forget()}>
            Log out
          </Button>
        </div>
      </header>
      <main id="main" tabIndex={-1} className="mx-auto flex max-w-3xl flex-col gap-5 px-4 py-6 outline-none">
        {children}
      </main>
    </>
  );
}

/** The heading of a page, which names the document too. */
export function Heading({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Console`;
  }, [title]);
  return (
    <header className="flex flex-col gap-1.5">
      <h1 dir="auto" className="text-xl font-semibold break-words">
        {title}
      </h1>
      {children}
    </header>
  );
}
