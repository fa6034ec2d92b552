import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { ReadStore, rfc3339, type Condition, type Identity, type QueryCursor } from '@aos/kernel';
import { CursorSeal, cursorFromText, cursorToText, listScope, pageLimitDefault } from '@aos/platform';
import { SessionDirectory } from '@aos/sessions/published';
import { dayOf, indexed, sumRows, usageRows } from './usage.wire.js';
import { UsageProjector } from './usage-projector.js';

type Filter = QueryOf<'listBillingUsageEvents'>;
type Totals = { raw: number; milli: number };

const readMax = 1000;
const dayMs = 24 * 3600 * 1000;
const milliPerCredit = 1000;

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
   * Newest first; oldest first with `recorded_after` (rule TE72). Rows of sessions out of the caller's reach have no id
   * of them, and are not found by one (rule A30).
   *
   * Refuses  invalid_cursor; `StoreUnavailable` while rows are being built.
   */
  async list(who: Identity, filter: Filter): Promise<Reply<'listBillingUsageEvents'>> {
    await this.projector.requireBuilt();
    const { orgId } = who;
    const { limit = pageLimitDefault, cursor, ...bound } = filter;
    const scope = listScope(orgId, 'usage-events', bound);
    const after = cursor === undefined ? null : cursorFromText(this.seal.open(cursor, scope));
    const isOff = await this.findsNothing(who, bound);
    const { rows, next } = isOff
      ? { rows: [], next: null }
      : await usageRows.query(this.readStore, {
          scope: [orgId],
          where: [...common(bound), ...ofSource(bound), ...since(bound)],
          orderBy: { index: 'position', direction: bound.recorded_after === undefined ? 'desc' : 'asc' },
          limit,
          ...(after ? { after } : {}),
        });
    const { raw, milli } = isOff ? { raw: 0, milli: 0 } : await this.totals(orgId, bound);
    return {
      items: await this.shown(
        who,
        rows.map(({ doc }) => doc),
      ),
      has_more: next !== null,
      ...(next && { next_cursor: this.seal.seal(cursorToText(next), scope) }),
      total_raw_quantity: raw,
      total_credit_cost: milli / milliPerCredit,
      total_credit_cost_milli: milli,
    };
  }

  /** No call that is recorded belongs to a job. */
  private async findsNothing(who: Identity, { job_id: jobId = '', source_id: source }: Filter): Promise<boolean> {
    return jobId !== '' || (source !== undefined && !(await this.sessions.mayName(who, source)));
  }

  private async shown(who: Identity, rows: Schema<'BillingUsageEvent'>[]): Promise<Schema<'BillingUsageEvent'>[]> {
    const reached = new Map<string, boolean>();
    for (const { source_id: id } of rows) if (!reached.has(id)) reached.set(id, await this.sessions.mayName(who, id));
    return rows.map((row) => (reached.get(row.source_id) ? row : { ...row, source_id: '', agent_turn_id: '' }));
  }

  /**
   * From the sums of whole days, and from the rows of the day that `recorded_after` cuts; those of one source from its
   * rows.
   */
  private async totals(orgId: string, filter: Filter): Promise<Totals> {
    const scope = [orgId];
    if (filter.source_id !== undefined)
      return this.added(usageRows, scope, [...common(filter), ...ofSource(filter), ...since(filter)]);
    const from = startOf(filter);
    const cutDay = from === null || from.endsWith('T00:00:00.000Z') ? null : dayOf(from);
    const days: Condition[] =
      from === null ? [] : [cutDay === null ? { index: 'day', gte: dayOf(from) } : { index: 'day', gt: cutDay }];
    const whole = await this.added(sumRows, scope, [...common(filter), ...days]);
    if (from === null || cutDay === null) return whole;
    const end = rfc3339(Date.parse(`${cutDay}T00:00:00.000Z`) + dayMs);
    const cut = await this.added(usageRows, scope, [...common(filter), { index: 'at', gte: from, lt: end }]);
    return { raw: whole.raw + cut.raw, milli: whole.milli + cut.milli };
  }

  private async added(of: Summable, scope: string[], where: Condition[]): Promise<Totals> {
    const totals = { raw: 0, milli: 0 };
    let after: QueryCursor | null = null;
    do {
      const page: Summed = await of.query(this.readStore, {
        scope,
        where,
        limit: readMax,
        ...(after ? { after } : {}),
      });
      for (const { doc } of page.rows) {
        totals.raw += doc.raw_quantity;
        totals.milli += doc.credit_cost_milli;
      }
      after = page.next;
    } while (after);
    return totals;
  }
}

type Summed = { rows: { doc: { raw_quantity: number; credit_cost_milli: number } }[]; next: QueryCursor | null };
type Summable = { query(...args: Parameters<typeof sumRows.query>): Promise<Summed> };

/** Conditions that rows and sums have indexes for. */
function common({ period_start: period, counter, source_type: type, api_key_id: key }: Filter): Condition[] {
  return [
    ...(period === undefined ? [] : [{ index: 'period', eq: rfc3339(Date.parse(period)) }]),
    ...(counter === undefined ? [] : [{ index: 'counter', eq: counter }]),
    ...(type === undefined ? [] : [{ index: 'source_type', eq: type }]),
    ...(key === undefined ? [] : [{ index: 'api_key', eq: indexed(key) }]),
  ];
}

function ofSource({ source_id: id }: Filter): Condition[] {
  return id === undefined ? [] : [{ index: 'source', eq: id }];
}

function since(filter: Filter): Condition[] {
  const from = startOf(filter);
  return from === null ? [] : [{ index: 'at', gte: from }];
}

function startOf({ recorded_after: from }: Filter): string | null {
  return from === undefined ? null : rfc3339(Date.parse(from));
}
