import { useQuery } from '@tanstack/react-query';
import type { Pages } from '@aos/client';
import { carryOut, keyOf, type ApiCall } from './call';
import { useService } from './hooks';
import { useLacks } from './permissions';

export interface All<Row> {
  rows: Row[];
  /** There are more than were asked for. */
  isCut: boolean;
  isPending: boolean;
  error: Error | null;
  lacks: string | null;
  reload: () => void;
}

const none: never[] = [];
/** Rows that are asked for where a page does not say how many. */
export const allMax = 1_000;

/** Every row of a list, up to `max`: for choices, and for what is counted over all of them. */
export function useAll<Row, Page>(
  of: ApiCall<Pages<Row, Page>>,
  { max = allMax, enabled = true }: { max?: number; enabled?: boolean } = {},
): All<Row> {
  const svc = useService();
  const lacks = useLacks(of);
  const query = useQuery({
    queryKey: [...keyOf(of), 'all', max],
    queryFn: async ({ signal }) => {
      const rows: Row[] = [];
      for await (const row of carryOut(svc, of, signal)) {
        if (rows.length === max) return { rows, isCut: true };
        rows.push(row);
      }
      return { rows, isCut: false };
    },
    enabled: enabled && lacks === null,
  });
  return {
    rows: query.data?.rows ?? none,
    isCut: query.data?.isCut ?? false,
    isPending: query.isPending,
    error: query.error,
    lacks,
    reload: () => void query.refetch(),
  };
}
