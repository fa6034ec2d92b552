import { useCallback } from 'react';
import { useMatch, useNavigate, useRouter, useSearch } from '@tanstack/react-router';

type Filters = Record<string, string>;

/**
 * The filters of a list, kept in the page's address so that it can be shared: `const [filters, set] = useFilters()`,
 * `set({ status: 'failed' })`. An empty text takes a filter away. Nothing is set where the reader has left the page: it
 * would be in the address of another.
 */
export function useFilters(): [Filters, (changed: Filters) => void] {
  const filters = useSearch({ strict: false }) as Filters;
  const navigate = useNavigate();
  const router = useRouter();
  const page = useMatch({ strict: false, select: ({ id }) => id });
  const set = useCallback(
    (changed: Filters) => {
      if (!router.matchRoutes(router.latestLocation).some(({ id }) => id === page)) return;
      void navigate({ to: '.', search: (before: Filters) => ({ ...before, ...changed }), replace: true } as Parameters<
        typeof navigate
      >[0]);
    },
    [navigate, router, page],
  );
  return [filters, set];
}
