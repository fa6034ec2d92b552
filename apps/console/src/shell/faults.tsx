import type { ErrorComponentProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import { EmptyState, ErrorNote, Page } from '../ui';

/** A page that threw: what it said, and another attempt. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page failed">
      <ErrorNote error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
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
