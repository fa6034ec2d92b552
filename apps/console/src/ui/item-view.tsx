import type { ReactNode } from 'react';
import { ApiError } from '@aos/client';
import type { Item } from '../api/hooks';
import { EmptyState } from './empty-state';
import { ErrorNote, LacksNote } from './error-note';
import { Skeleton } from './skeleton';

/** One thing, and what stands in its stead while it loads, when it is not there, and when it cannot be read. */
export function ItemView<Result>({ item, children }: { item: Item<Result>; children: (value: Result) => ReactNode }) {
  if (item.lacks !== null) return <LacksNote permission={item.lacks} />;
  if (item.data !== undefined)
    return (
      <>
        {item.error && <ErrorNote error={item.error} onRetry={() => void item.refetch()} />}
        {children(item.data)}
      </>
    );
  if (item.error instanceof ApiError && item.error.status === 404)
    return (
      <EmptyState icon="search" title="It is not there">
        It was deleted, or this key does not reach it. Request {item.error.requestId}.
      </EmptyState>
    );
  if (item.error) return <ErrorNote error={item.error} onRetry={() => void item.refetch()} />;
  return <Skeleton lines={8} />;
}
