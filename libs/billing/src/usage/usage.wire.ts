import type { Schema } from '@aos/contract';
import {
  collection,
  upcastRecorded,
  type IndexValue,
  type ReadRow,
  type RecordedEvent,
  type RowKey,
} from '@aos/kernel';
import { sessionEvents, type SessionEvent, type Usage } from '@aos/sessions/published';

/** One row for each recorded model call and counter (rule TE72). */
export const usageCollection = 'usage_events@1';
export const usageRows = collection<Schema<'BillingUsageEvent'>>(usageCollection);
/** Sums of those rows by day, for totals. */
export const sumsCollection = 'usage_days@1';
export const sumRows = collection<UsageSum>(sumsCollection);
/** Prefixes of the streams that they are made from. */
export const usageStreams = ['session-'];

const counters = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const satisfies readonly (keyof Usage)[];
/** Weights of credits that the rows are made by. */
const creditWeightVersion = 1;

/** Sum of the rows of one day with the same counter, type of source and key. */
export type UsageSum = {
  day: string;
  counter: string;
  source_type: string;
  api_key_id: string;
  raw_quantity: number;
  credit_cost_milli: number;
  /** Rows that were added. */
  rows: number;
  /** Position in the log of the last row that was added: a row is added once, however often it is read. */
  through: string;
};

/** A model call as the log has it. */
export type RecordedCall = {
  event: RecordedEvent;
  usage: Usage;
  turnId: string;
  provider: string;
  model: string;
  /** Key of the admission; empty: none. */
  apiKeyId: string;
};

/** Text as an index holds it: an empty one is found too. */
export const indexed = (text: string): string => `=${text}`;

/** The turn that a recorded event admits; null for every other event. */
export function admittedTurn(event: RecordedEvent): { turnId: string; apiKeyId: string } | null {
  if (event.type !== 'TurnQueued') return null;
  const { data } = upcastRecorded(sessionEvents, event) as SessionEvent & { type: 'TurnQueued' };
  return { turnId: data.turn.id, apiKeyId: event.meta.api_key_id ?? '' };
}

/** The model call that an event records, an answer's or a summary's; null for every other event. */
export function recordedCall(event: RecordedEvent): Omit<RecordedCall, 'apiKeyId'> | null {
  if (event.type !== 'ModelAnswered' && event.type !== 'TranscriptSummarised') return null;
  const { type, data } = upcastRecorded(sessionEvents, event) as SessionEvent;
  if (type === 'ModelAnswered')
    return { event, usage: data.usage, turnId: data.turn_id, provider: data.provider, model: data.model };
  if (type !== 'TranscriptSummarised') return null;
  return { event, usage: data.usage, turnId: data.pass.turn_id ?? '', provider: '', model: data.pass.summary_model };
}

/** Rows of one call, in the order of the counters; a counter of 0 makes none. */
export function rowsOfCall({ event, usage, turnId, provider, model, apiKeyId }: RecordedCall): ReadRow[] {
  const recordedAt = event.meta.recorded_at ?? '';
  const orgId = event.meta.org_id ?? '';
  const sessionId = event.stream.slice('session-'.length);
  return counters.flatMap((counter, number) => {
    const quantity = usage[counter] ?? 0;
    if (quantity === 0) return [];
    const doc: Schema<'BillingUsageEvent'> = {
      id: `usage_${event.id.replaceAll('-', '')}${number}`,
      api_key_id: apiKeyId,
      period_start: periodOf(recordedAt),
      counter: `model.${counter}`,
      raw_quantity: quantity,
      credit_cost: 0,
      credit_cost_milli: 0,
      credit_weight_version: creditWeightVersion,
      zero_credits: true,
      source_type: 'session',
      source_id: sessionId,
      idempotency_key: `${event.id}:${counter}`,
      job_id: '',
      agent_turn_id: turnId,
      provider,
      model,
      model_class: '',
      metadata: { amount: '0' },
      occurred_at: recordedAt,
      recorded_at: recordedAt,
      created_at: recordedAt,
    };
    const key = `${event.position}.${number}`;
    return [usageRows.row({ scope: [orgId], key, revision: 1, doc, index: indexOf(doc, key) })];
  });
}

function indexOf(doc: Schema<'BillingUsageEvent'>, key: string): Record<string, IndexValue> {
  return {
    position: key,
    at: doc.recorded_at,
    period: doc.period_start,
    counter: doc.counter,
    source_type: doc.source_type,
    source: doc.source_id,
    api_key: indexed(doc.api_key_id),
  };
}

/** Where the sum of a row lies. */
export function sumKey(row: ReadRow): RowKey {
  const { recorded_at, counter, source_type, api_key_id } = row.doc as Schema<'BillingUsageEvent'>;
  return { scope: row.scope, key: `${dayOf(recorded_at)}/${counter}/${source_type}/${api_key_id}` };
}

/** A sum with one more row; the same when the row was added before. */
export function addedTo(sum: UsageSum | null, row: ReadRow): UsageSum {
  const { recorded_at, counter, source_type, api_key_id, raw_quantity, credit_cost_milli } =
    row.doc as Schema<'BillingUsageEvent'>;
  const before: UsageSum = sum ?? {
    day: dayOf(recorded_at),
    counter,
    source_type,
    api_key_id,
    raw_quantity: 0,
    credit_cost_milli: 0,
    rows: 0,
    through: '',
  };
  if (row.key <= before.through) return before;
  return {
    ...before,
    raw_quantity: before.raw_quantity + raw_quantity,
    credit_cost_milli: before.credit_cost_milli + credit_cost_milli,
    rows: before.rows + 1,
    through: row.key,
  };
}

export function sumRow(at: RowKey, sum: UsageSum): ReadRow {
  const { day, counter, source_type, api_key_id, rows } = sum;
  const index = { day, period: periodOf(day), counter, source_type, api_key: indexed(api_key_id) };
  return sumRows.row({ ...at, revision: rows, doc: sum, index });
}

/** Day of a time, `2026-01-31`. */
export function dayOf(time: string): string {
  return time.slice(0, 'yyyy-mm-dd'.length);
}

/** Start of the month (UTC) of a time or a day. */
export function periodOf(time: string): string {
  return `${time.slice(0, 'yyyy-mm'.length)}-01T00:00:00.000Z`;
}
