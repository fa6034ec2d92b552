import { Injectable, Optional } from '@nestjs/common';
import type { AnyEvent } from '@aos/kernel';
import {
  Decisions,
  Lags,
  Metrics,
  Projectors,
  Readiness,
  type CounterMetric,
  type HistogramMetric,
} from '@aos/platform';

/** A turn may take an hour; most take seconds. */
const turnBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600] as const;
/** Names that operators chose, such as providers: so many have a label of their own, the rest share one. */
const namesMax = 20;

interface Turn {
  created_at: string;
  completed_at?: string;
}
interface Usage {
  input_tokens?: number;
  output_tokens?: number;
  cache_read_input_tokens?: number;
  cache_creation_input_tokens?: number;
}
type Measured = (data: never) => void;

/** Measures of what this process writes and projects, and whether its projections make it ready. */
@Injectable()
export class Measures {
  constructor(
    decisions: Decisions,
    projectors: Projectors,
    readiness: Readiness,
    lags: Lags,
    @Optional() metrics?: Metrics,
  ) {
    lags.register(() => projectors.lags);
    if (metrics) {
      measureWrites(decisions, metrics);
      measureProjections(projectors, metrics);
    }
    readiness.register({
      name: 'projections',
      check: () => {
        const [stopped] = projectors.stopped;
        if (stopped) return Promise.resolve(`${stopped.name} stopped`);
        return Promise.resolve(projectors.caughtUp ? null : 'catching up');
      },
    });
  }
}

/**
 * Metrics for operators, taken from the events that this process records: each event is counted once, by the process
 * that recorded it. Labels are event types, statuses and provider names; never an id.
 */
export function measureWrites(decisions: Pick<Decisions, 'observe'>, metrics: Metrics): void {
  const conflicts = metrics.counter(
    'append_conflicts_total',
    'Appends that met another writer and were judged again.',
    ['category'],
  );
  const measures = { ...turnMeasures(metrics), ...outcomeMeasures(metrics) } as Readonly<
    Record<string, Measured | undefined>
  >;
  const recorded = new RecordedEvents((kind) => measures[kind]);
  metrics.observedCounter('events_recorded_total', 'Events recorded by this process.', ['category', 'type'], () =>
    recorded.sums(),
  );
  decisions.observe({
    recorded(category, events: readonly AnyEvent[]) {
      for (const event of events) recorded.note(category, event);
    },
    conflicted(category) {
      conflicts.add({ category });
    },
  });
}

/** What was recorded, by category and type: a look-up for an event, no text made for it. */
class RecordedEvents {
  private readonly categories = new Map<string, Map<string, { sum: number; measured: Measured | undefined }>>();

  constructor(private readonly measuredOf: (kind: string) => Measured | undefined) {}

  note(category: string, { type, data }: AnyEvent): void {
    let types = this.categories.get(category);
    if (!types) this.categories.set(category, (types = new Map()));
    let known = types.get(type);
    if (!known) types.set(type, (known = { sum: 0, measured: this.measuredOf(`${category} ${type}`) }));
    known.sum += 1;
    known.measured?.(data as never);
  }

  *sums(): Iterable<[labels: { category: string; type: string }, sum: number]> {
    for (const [category, types] of this.categories)
      for (const [type, { sum }] of types) yield [{ category, type }, sum];
  }
}

function turnMeasures(metrics: Metrics): Record<string, Measured> {
  const seconds = metrics.histogram(
    'turn_duration_seconds',
    'Time from the admission of a turn to its end.',
    ['status'],
    turnBuckets,
  );
  const waits = metrics.histogram(
    'turn_queue_seconds',
    'Time from the admission of a turn to the claim of its first run.',
  );
  const tokens = metrics.counter('model_tokens_total', 'Tokens of model calls.', ['provider', 'kind']);
  const calls = metrics.counter('model_calls_total', 'Model calls that were answered.', ['provider']);
  const named = boundedNames();
  const ended =
    (status: string) =>
    ({ turn }: { turn: Turn }) => {
      observeSpan(seconds, turn.created_at, turn.completed_at, { status });
    };
  return {
    'session TurnClaimed': ({
      turn,
      epoch,
      active_ms: renewedAt,
    }: {
      turn: Turn & { updated_at: string };
      epoch: number;
      active_ms?: number;
    }) => {
      if (epoch === 1 && renewedAt === undefined) observeSpan(waits, turn.created_at, turn.updated_at, {});
    },
    'session TurnCompleted': ended('completed'),
    'session TurnFailed': ended('failed'),
    'session TurnCancelled': ended('cancelled'),
    'session ModelAnswered': ({ usage, provider: name }: { usage: Usage; provider: string }) => {
      const provider = named(name);
      calls.add({ provider });
      countTokens(tokens, provider, usage);
    },
  };
}

function outcomeMeasures(metrics: Metrics): Record<string, Measured> {
  const tools = metrics.counter('tool_calls_total', 'Tool calls of turns that have an outcome.', ['status']);
  const invocations = metrics.counter('action_invocations_total', 'Direct action invocations that have ended.', [
    'status',
  ]);
  const callbacks = metrics.counter('callback_attempts_total', 'Tries to deliver the outcome of an interaction.', [
    'outcome',
  ]);
  const tried = (outcome: string) => () => {
    callbacks.add({ outcome });
  };
  return {
    'session ToolCallFinished': ({ outcome: { status } }: { outcome: { status: string } }) => {
      tools.add({ status });
    },
    'invocation InvocationFinished': ({ end: { status } }: { end: { status: string } }) => {
      invocations.add({ status });
    },
    'interaction CallbackDelivered': tried('delivered'),
    'interaction CallbackFailed': tried('failed'),
    'interaction CallbackAbandoned': tried('abandoned'),
  };
}

function countTokens(tokens: CounterMetric, provider: string, usage: Usage): void {
  const kinds = {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cache_read: usage.cache_read_input_tokens,
    cache_creation: usage.cache_creation_input_tokens,
  };
  for (const [kind, count] of Object.entries(kinds))
    if (count !== undefined && count > 0) tokens.add({ provider, kind }, count);
}

function observeSpan(
  histogram: HistogramMetric,
  from: string,
  to: string | undefined,
  labels: Record<string, string>,
): void {
  const ms = Date.parse(to ?? '') - Date.parse(from);
  if (ms >= 0) histogram.observe(ms / 1000, labels);
}

/** Names as labels: the first ones, and one for the rest. */
export function boundedNames(): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.size < namesMax) known.add(name);
    return known.has(name) ? name : 'other';
  };
}

/** How far the projections of this process are. */
function measureProjections(projectors: Projectors, metrics: Metrics): void {
  metrics.observedGauges(
    'projection_lag_seconds',
    'Age of the oldest event whose rows are being put.',
    'projection',
    () => Object.fromEntries(Object.entries(projectors.lags).map(([name, ms]) => [name, ms / 1000])),
  );
  metrics.observedGauge(
    'projections_stopped',
    'Projections that stopped at something they do not know.',
    () => projectors.stopped.length,
  );
  metrics.observedGauge('projections_caught_up', 'Whether every projection has read everything there was.', () =>
    projectors.caughtUp ? 1 : 0,
  );
}
