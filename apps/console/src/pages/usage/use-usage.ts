import { useQuery } from '@tanstack/react-query';
import type { AgentService } from '@aos/client';
import { call, carryOut, keyOf } from '../../api/call';
import { useService, type Item } from '../../api/hooks';
import { useLacks } from '../../api/permissions';
import { counters, noUsage, withCounter, type UsageEvent, type UsageSum } from './usage-sums';

/** Rows that are read for the groups. */
const rowsMax = 3_000;

export interface Usage {
  /** Of the whole time, exact. */
  total: UsageSum;
  /** Newest first. */
  rows: UsageEvent[];
  /** There are more rows in this time than were read. */
  isCut: boolean;
}

/** The usage since a time: exact totals, and the newest rows for what is grouped. */
export function useUsage(since: string): Item<Usage> {
  const svc = useService();
  const of = call('billing', 'listUsageEvents', { recorded_after: since, limit: 100 });
  const lacks = useLacks(of);
  const query = useQuery({
    queryKey: [...keyOf(of), 'sums'],
    queryFn: async ({ signal }): Promise<Usage> => {
      const [total, read] = await Promise.all([totalSince(svc, since, signal), rowsSince(svc, since, signal)]);
      return { total, ...read };
    },
    enabled: lacks === null,
  });
  return { ...query, call: of, lacks };
}

async function totalSince(svc: AgentService, since: string, signal: AbortSignal): Promise<UsageSum> {
  const pages = await Promise.all(
    counters.map((counter) =>
      carryOut(svc, call('billing', 'listUsageEvents', { recorded_after: since, counter, limit: 1 }), signal).page(),
    ),
  );
  return pages.reduce(
    (sum, page, at) => withCounter(sum, counters[at] ?? '', page.total_raw_quantity, page.total_credit_cost_milli),
    noUsage(),
  );
}

/** The list is newest first only where it is not asked for a time. */
async function rowsSince(
  svc: AgentService,
  since: string,
  signal: AbortSignal,
): Promise<{ rows: UsageEvent[]; isCut: boolean }> {
  const rows: UsageEvent[] = [];
  const from = Date.parse(since);
  for await (const row of carryOut(svc, call('billing', 'listUsageEvents', { limit: 100 }), signal)) {
    if (Date.parse(row.recorded_at) < from) return { rows, isCut: false };
    if (rows.length === rowsMax) return { rows, isCut: true };
    rows.push(row);
  }
  return { rows, isCut: false };
}
