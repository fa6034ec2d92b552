import { createContext, useContext, useMemo } from 'react';
import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { AgentService, Pages, Resources } from '@aos/client';
import { carryOut, keyOf, pageOf, type ApiCall, type PageOf } from './call';
import { useLacks } from './permissions';
import { useToast } from './say';

export const ServiceContext = createContext<AgentService | null>(null);

/** The client with the tab's key. */
export function useService(): AgentService {
  const svc = useContext(ServiceContext);
  if (svc === null) throw new Error('a page is shown without a key');
  return svc;
}

export type Item<Result> = UseQueryResult<Result> & {
  /** The call that is made, to be shown. */
  call: ApiCall;
  /** The permission that the key lacks: nothing is asked then. */
  lacks: string | null;
};

/** One thing: `useItem(call('skills', 'get', id))`. It is read anew when an event or a write says that it changed. */
export function useItem<Result>(
  of: ApiCall<Promise<Result>>,
  { enabled = true, everyMs }: { enabled?: boolean; /** For what no event names. */ everyMs?: number } = {},
): Item<Result> {
  const svc = useService();
  const lacks = useLacks(of);
  const query = useQuery({
    queryKey: keyOf(of),
    queryFn: ({ signal }) => carryOut(svc, of, signal),
    refetchInterval: everyMs,
    enabled: enabled && lacks === null,
  });
  return { ...query, call: of, lacks };
}

export interface Rows<Row> {
  rows: Row[];
  call: ApiCall;
  lacks: string | null;
  error: Error | null;
  /** Nothing is known yet. */
  isPending: boolean;
  /** The rows of another filter are shown while those of this one come. */
  isStale: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  reload: () => void;
}

/** A list, page by page: `useRows(call('skills', 'list', { name }))`. */
export function useRows<Row, Page>(of: ApiCall<Pages<Row, Page>>, { enabled = true } = {}): Rows<Row> {
  const svc = useService();
  const lacks = useLacks(of);
  const query = useInfiniteQuery({
    queryKey: keyOf(of),
    queryFn: ({ pageParam, signal }) => pageOf(svc, of, pageParam, signal) as Promise<PageOf<Row>>,
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.has_more ? (page.next_cursor ?? null) : null),
    placeholderData: keepPreviousData,
    enabled: enabled && lacks === null,
  });
  const { data } = query;
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items ?? []) ?? [], [data]);
  return {
    rows,
    call: of,
    lacks,
    error: query.error,
    isPending: query.isPending,
    isStale: query.isPlaceholderData,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    reload: () => void query.refetch(),
  };
}

interface Writing<Input, Result> {
  /** What a toast says once it is done. */
  done?: string | ((result: Result, input: Input) => string);
  /** What a toast says before the reason of a refusal, where no page shows it. */
  failed?: string;
  /** Nouns whose lists and items are read anew; the call's own noun always is. */
  changes?: readonly (keyof Resources)[];
  /** Is not called where the reader has left the page meanwhile. */
  onDone?: (result: Result, input: Input) => void;
}

/** A write: `const save = useWrite((body: SkillBody) => call('skills', 'update', id, body), { done: 'Saved' })`. */
export function useWrite<Input, Result>(
  callFor: (input: Input) => ApiCall<Promise<Result>>,
  { done, failed, changes = [], onDone }: Writing<Input, Result> = {},
): UseMutationResult<Result, Error, Input, { page: string }> {
  const svc = useService();
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: (input: Input) => carryOut(svc, callFor(input)),
    onMutate: () => ({ page: location.pathname }),
    onSuccess: (result, input, { page }) => {
      const carriedOut = callFor(input);
      const nouns: readonly string[] = [carriedOut.operation.noun, ...changes];
      const isGone = goneAfter(carriedOut);
      void client.invalidateQueries({
        predicate: ({ queryKey }) => nouns.includes(String(queryKey[0])) && !isGone(queryKey),
      });
      if (done !== undefined) toast(typeof done === 'string' ? done : done(result, input));
      if (page === location.pathname) onDone?.(result, input);
    },
    onError: ({ message }) => {
      if (failed !== undefined) toast(`${failed}: ${message}`, true);
    },
  });
}

/** Which queries are about what a deletion took away: asked for anew they would be 404. */
function goneAfter({ operation: { method }, ids }: ApiCall): (queryKey: readonly unknown[]) => boolean {
  const id = method === 'DELETE' ? ids.at(-1) : undefined;
  const written = JSON.stringify(id);
  return (queryKey) => id !== undefined && JSON.stringify(queryKey).includes(written);
}
