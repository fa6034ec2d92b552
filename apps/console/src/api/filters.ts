import { useCallback } from 'react';
import { useNavigate, useSearch } from '@tanstack/react-router';

type Filters = Record<string, string>;

/**
 * The filters of a list, kept in the page's address so that it can be shared: `const [filters, set] = useFilters()`,
 * `set({ status: 'failed' })`. An empty text takes a filter away.
 */
export function useFilters(): [Filters, (changed: Filters) => void] {
  const filters = useSearch({ strict: false }) as Filters;
  const navigate = useNavigate();
  const set = useCallback(
    (changed: Filters) => {
      void navigate({ to: '.', search: (before: Filters) => ({ ...before, ...changed }), replace: true } as Parameters<
        typeof navigate
      >[0]);
    },
    [navigate],
  );
  return [filters, set];
}
