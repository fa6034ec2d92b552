import { useCallback, useEffect, useState } from 'react';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import { loadAnew, loadAnewOnce, PageNotLoaded } from '../page-loading';
import { EmptyState, ErrorNote, Page } from '../ui';

/** A page that threw: what it said, and another attempt. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  if (error instanceof PageNotLoaded) return <NotLoaded error={error} />;
  return (
    <Page title="This page failed">
      <ErrorNote error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
    </Page>
  );
}

/** A page of which a file did not come. What failed once may stay so in this tab, so the tab is loaded anew. */
function NotLoaded({ error }: { error: PageNotLoaded }) {
  const [said, setSaid] = useState<Error>(error);
  const attempt = useCallback((loading: Promise<boolean>) => {
    void loading.then((isLoading) => {
      if (!isLoading) setSaid(new Error('The service does not answer.'));
    });
  }, []);
  useEffect(() => attempt(loadAnewOnce(error)), [attempt, error]);
  return (
    <Page title="This page could not be loaded">
      <ErrorNote error={said} onRetry={() => attempt(loadAnew(error))} />
    </Page>
  );
}

export function NoSuchPage() {
  return (
    <Page title="No such page">
      <EmptyState
        icon="search"
        title="The console has no page here"
        action={
          <Link to="/" className="text-accent font-medium underline">
            Go to the overview
          </Link>
        }
      >
        The address may be mistyped, or the page may have another name now.
      </EmptyState>
    </Page>
  );
}
