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

/** One row for each recorded model call; the list makes an item of each counter (rule TE72). */
export const usageCollection = 'usage_calls@1';
export const callRows = collection<UsageCall>(usageCollection);
/** Sums of those rows by day and key, for totals. */
export const sumsCollection = 'usage_days@2';
export const sumRows = collection<UsageSum>(sumsCollection);
/** Rows of the version before, and their sums. */
export const retiredUsage = { rows: 'usage_events@1', sums: 'usage_days@1' };
/** Prefixes of the streams that they are made from. */
export const usageStreams = ['session-'];

export const counters = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const satisfies readonly (keyof Usage)[];
type Counter = (typeof counters)[number];
/** Counters that most calls leave at 0: only these have an index. */
const rareCounters: readonly Counter[] = ['cache_read_input_tokens', 'cache_creation_input_tokens'];
/** Weights of credits that the items are made by. */
const creditWeightVersion = 1;
/** What all rows are of until other things than turns are counted. */
const sourceType = 'session';

/** Quantities by counter; a counter of 0 is left out. */
export type Quantities = Partial<Record<Counter, number>>;

export type UsageCall = {
  event_id: string;
  session_id: string;
  /** Empty for a summary outside a turn. */
  turn_id: string;
  api_key_id: string;
  provider: string;
  model: string;
  recorded_at: string;
  quantities: Quantities;
};

/** Sum of the rows of one day and key. */
export type UsageSum = {
  day: string;
  api_key_id: string;
  quantities: Quantities;
  /** Rows that were added. */
  calls: number;
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

/** The row of one call; none when all of its counters are 0. */
export function rowOfCall({ event, usage, turnId, provider, model, apiKeyId }: RecordedCall): ReadRow[] {
  const quantities = Object.fromEntries(
    counters.flatMap((counter) => ((usage[counter] ?? 0) === 0 ? [] : [[counter, usage[counter]]])),
  ) as Quantities;
  if (Object.keys(quantities).length === 0) return [];
  const doc: UsageCall = {
    event_id: event.id,
    session_id: event.stream.slice('session-'.length),
    turn_id: turnId,
    api_key_id: apiKeyId,
    provider,
    model,
    recorded_at: event.meta.recorded_at ?? '',
    quantities,
  };
  const scope = [event.meta.org_id ?? ''];
  return [callRows.row({ scope, key: event.position, revision: 1, doc, index: indexOf(doc) })];
}

function indexOf(doc: UsageCall): Record<string, IndexValue> {
  return {
    at: doc.recorded_at,
    source: doc.session_id,
    api_key: indexed(doc.api_key_id),
    counters: rareCounters.filter((counter) => doc.quantities[counter] !== undefined),
  };
}

/** Whether rows with a counter are found by an index. */
export function isIndexed(counter: string): boolean {
  return (rareCounters as readonly string[]).includes(counter);
}

/** Name of a counter in the contract. */
export const shownCounter = (counter: string): string => `model.${counter}`;

/** The items of a row, by the number of their counter. */
export function itemsOf(call: UsageCall): { number: number; item: Schema<'BillingUsageEvent'> }[] {
  return counters.flatMap((counter, number) => {
    const quantity = call.quantities[counter];
    return quantity === undefined ? [] : [{ number, item: itemOf(call, { counter, number, quantity }) }];
  });
}

function itemOf(
  call: UsageCall,
  { counter, number, quantity }: { counter: Counter; number: number; quantity: number },
): Schema<'BillingUsageEvent'> {
  return {
    id: `usage_${call.event_id.replaceAll('-', '')}${number}`,
    api_key_id: call.api_key_id,
    period_start: periodOf(call.recorded_at),
    counter: shownCounter(counter),
    raw_quantity: quantity,
    credit_cost: 0,
    credit_cost_milli: 0,
    credit_weight_version: creditWeightVersion,
    zero_credits: true,
    source_type: sourceType,
    source_id: call.session_id,
    idempotency_key: `${call.event_id}:${counter}`,
    job_id: '',
    agent_turn_id: call.turn_id,
    provider: call.provider,
    model: call.model,
    model_class: '',
    metadata: { amount: '0' },
    occurred_at: call.recorded_at,
    recorded_at: call.recorded_at,
    created_at: call.recorded_at,
  };
}

/** Where the sum of a row lies. */
export function sumKey(row: ReadRow): RowKey {
  const { recorded_at, api_key_id } = row.doc as UsageCall;
  return { scope: row.scope, key: `${dayOf(recorded_at)}/${api_key_id}` };
}

/** A sum with one more row; the same when the row was added before. */
export function addedTo(sum: UsageSum | null, row: ReadRow): UsageSum {
  const { recorded_at, api_key_id, quantities } = row.doc as UsageCall;
  const before: UsageSum = sum ?? { day: dayOf(recorded_at), api_key_id, quantities: {}, calls: 0, through: '' };
  if (row.key <= before.through) return before;
  return { ...before, quantities: together(before.quantities, quantities), calls: before.calls + 1, through: row.key };
}

function together(some: Quantities, more: Quantities): Quantities {
  return Object.fromEntries(
    counters.flatMap((counter) => {
      const quantity = (some[counter] ?? 0) + (more[counter] ?? 0);
      return quantity === 0 ? [] : [[counter, quantity]];
    }),
  );
}

/** What a row or sum has of a counter as the contract names it; of all of them when none is named. */
export function quantityOf(quantities: Quantities, shown: string | undefined): number {
  return counters.reduce(
    (sum, counter) => sum + (shown === undefined || shown === shownCounter(counter) ? (quantities[counter] ?? 0) : 0),
    0,
  );
}

export function sumRow(at: RowKey, sum: UsageSum): ReadRow {
  const { day, api_key_id, calls } = sum;
  return sumRows.row({ ...at, revision: calls, doc: sum, index: { day, api_key: indexed(api_key_id) } });
}

/** Day of a time, `2026-01-31`. */
export function dayOf(time: string): string {
  return time.slice(0, 'yyyy-mm-dd'.length);
}

/** Start of the month (UTC) of a time or a day. */
function periodOf(time: string): string {
  return `${time.slice(0, 'yyyy-mm'.length)}-01T00:00:00.000Z`;
}

/** Type of source that is asked for, when rows have it. */
export function hasSourceType(type: string | undefined): boolean {
  return type === undefined || type === sourceType;
}
