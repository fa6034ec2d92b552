import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { ReadStore, rfc3339, type Condition, type Identity } from '@aos/kernel';
import { CursorSeal, listScope, pageLimitDefault } from '@aos/platform';
import { SessionDirectory } from '@aos/sessions/published';
import { usageCursorFromText, usageCursorToText, usagePage } from './usage-page.js';
import {
  callRows,
  dayOf,
  hasSourceType,
  indexed,
  isIndexed,
  quantityOf,
  shownCounter,
  sumRows,
  counters,
  type Quantities,
} from './usage.wire.js';
import { UsageProjector } from './usage-projector.js';

type Filter = QueryOf<'listBillingUsageEvents'>;

const readMax = 1000;
const dayMs = 24 * 3600 * 1000;

/** Usage as the routes show it. */
@Injectable()
export class UsageQueries {
  constructor(
    private readonly readStore: ReadStore,
    private readonly projector: UsageProjector,
    private readonly seal: CursorSeal,
    private readonly sessions: SessionDirectory,
  ) {}

  /**
   * Newest first; oldest first with `recorded_after` (rule TE72). Items of sessions out of reach have no id
   * of them, and are not found by one (rule A30).
   *
   * Refuses  invalid_cursor; `StoreUnavailable` while rows are being built.
   */
  async list(who: Identity, filter: Filter): Promise<Reply<'listBillingUsageEvents'>> {
    await this.projector.requireBuilt();
    const { orgId } = who;
    const { limit = pageLimitDefault, cursor, ...bound } = filter;
    const scope = listScope(orgId, 'usage-events', bound);
    const from = cursor === undefined ? null : usageCursorFromText(this.seal.open(cursor, scope));
    const isOff = await this.findsNothing(who, bound);
    const { items, next } = isOff
      ? { items: [], next: null }
      : await usagePage(this.readStore, {
          scope: [orgId],
          where: [...ofKey(bound), ...ofSource(bound), ...within(bound, 'at'), ...ofCounter(bound)],
          counter: bound.counter,
          isNewestFirst: bound.recorded_after === undefined,
          limit,
          from,
        });
    return {
      items: await this.shown(who, items),
      has_more: next !== null,
      ...(next && { next_cursor: this.seal.seal(usageCursorToText(next), scope) }),
      total_raw_quantity: isOff ? 0 : await this.total(orgId, bound),
      total_credit_cost: 0,
      total_credit_cost_milli: 0,
    };
  }

  /** No call that is recorded belongs to a job. */
  private async findsNothing(who: Identity, { job_id, source_id, source_type, counter }: Filter): Promise<boolean> {
    if ((job_id ?? '') !== '' || !hasSourceType(source_type)) return true;
    if (counter !== undefined && !counters.map(shownCounter).includes(counter)) return true;
    return source_id !== undefined && !(await this.sessions.mayName(who, source_id));
  }

  private async shown(who: Identity, items: Schema<'BillingUsageEvent'>[]): Promise<Schema<'BillingUsageEvent'>[]> {
    const reached = new Map<string, boolean>();
    for (const { source_id: id } of items) if (!reached.has(id)) reached.set(id, await this.sessions.mayName(who, id));
    return items.map((item) => (reached.get(item.source_id) ? item : { ...item, source_id: '', agent_turn_id: '' }));
  }

  /**
   * From the sums of whole days, and from the rows of the day that `recorded_after` cuts; those of one source from its
   * rows.
   */
  private async total(orgId: string, filter: Filter): Promise<number> {
    const scope = [orgId];
    const { counter } = filter;
    if (filter.source_id !== undefined)
      return this.added(callRows, scope, [...ofKey(filter), ...ofSource(filter), ...within(filter, 'at')], counter);
    const { from } = boundsOf(filter);
    const cutDay = from === null || from.endsWith('T00:00:00.000Z') ? null : dayOf(from);
    const whole = await this.added(
      sumRows,
      scope,
      [...ofKey(filter), ...within(filter, 'day', cutDay === null ? {} : { cutDay })],
      counter,
    );
    if (from === null || cutDay === null) return whole;
    const end = rfc3339(Date.parse(`${cutDay}T00:00:00.000Z`) + dayMs);
    const cut = [...ofKey(filter), ...within(filter, 'at', { end })];
    return whole + (await this.added(callRows, scope, cut, counter));
  }

  private async added(of: Summable, scope: string[], where: Condition[], counter?: string): Promise<number> {
    let total = 0;
    let page: Summed | null = null;
    do {
      const after: Summed['next'] = page?.next ?? null;
      page = await of.query(this.readStore, { scope, where, limit: readMax, ...(after ? { after } : {}) });
      for (const { doc } of page.rows) total += quantityOf(doc.quantities, counter);
    } while (page.next);
    return total;
  }
}

type Summed = Omit<Awaited<ReturnType<typeof sumRows.query>>, 'rows'> & { rows: { doc: { quantities: Quantities } }[] };
type Summable = { query(...args: Parameters<typeof sumRows.query>): Promise<Summed> };

function ofKey({ api_key_id: key }: Filter): Condition[] {
  return key === undefined ? [] : [{ index: 'api_key', eq: indexed(key) }];
}

function ofSource({ source_id: id }: Filter): Condition[] {
  return id === undefined ? [] : [{ index: 'source', eq: id }];
}

function ofCounter({ counter }: Filter): Condition[] {
  const plain = counters.find((each) => shownCounter(each) === counter);
  return plain !== undefined && isIndexed(plain) ? [{ index: 'counters', has: plain }] : [];
}

/** Condition of the period and of `recorded_after`, on times or on days; days after `cutDay`, times before `end`. */
function within(
  filter: Filter,
  index: 'at' | 'day',
  { cutDay, end }: { cutDay?: string; end?: string } = {},
): Condition[] {
  const { from, to } = boundsOf(filter);
  const text = (time: string): string => (index === 'day' ? dayOf(time) : time);
  const until = [to, end ?? null].filter((time) => time !== null).sort()[0];
  if (from === null && until === undefined) return [];
  return [
    {
      index,
      ...(cutDay !== undefined ? { gt: cutDay } : from === null ? {} : { gte: text(from) }),
      ...(until === undefined ? {} : { lt: text(until) }),
    },
  ];
}

/**
 * The times that a filter leaves, the end excluded; null: open. A period is a month that begins at `period_start`; a
 * time that begins none leaves nothing.
 */
function boundsOf({ period_start: period, recorded_after: after }: Filter): { from: string | null; to: string | null } {
  const from = after === undefined ? null : rfc3339(Date.parse(after));
  if (period === undefined) return { from, to: null };
  const start = new Date(Date.parse(period));
  const begins = rfc3339(start.getTime());
  const isMonth = begins.endsWith('-01T00:00:00.000Z');
  const end = isMonth ? rfc3339(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1)) : begins;
  return { from: from !== null && from > begins ? from : begins, to: end };
}
