import { lazy, Suspense } from 'react';
import { loaded } from '../page-loading';
import type { DiffProps } from './editor/props';
import { Skeleton } from './skeleton';

const Diff = lazy(() => loaded(() => import('./editor/diff')));

/** What changed between two texts: lines that went and lines that came, what stayed folded. */
export function DiffView(props: DiffProps) {
  return (
    <Suspense fallback={<Skeleton lines={6} />}>
      <Diff {...props} />
    </Suspense>
  );
}
