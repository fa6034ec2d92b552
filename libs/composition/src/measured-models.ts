import {
  ModelProvider,
  youngFunction,
  type Clock,
  type ModelEvent,
  type ModelOption,
  type ModelRequest,
} from '@aos/kernel';
import type { HistogramMetric, Metrics } from '@aos/platform';
import { boundedNames } from './measures.js';

/** A short answer takes a second; one that thinks takes minutes. */
const callBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600] as const;

/**
 * How long calls of models take, from the request to the last word: by provider, and by whether they were answered,
 * failed, or were given up by us.
 */
export class MeasuredModelProvider extends ModelProvider {
  private readonly seconds: HistogramMetric;
  private readonly named = boundedNames();

  constructor(
    private readonly models: ModelProvider,
    metrics: Metrics,
    private readonly clock: Clock,
  ) {
    super();
    this.seconds = metrics.histogram(
      'model_call_duration_seconds',
      'Time from the request of a model call to its end.',
      ['provider', 'outcome'],
      callBuckets,
    );
  }

  override get catalog() {
    return this.models.catalog;
  }

  override find(model: string | undefined): ModelOption | null {
    return this.models.find(model);
  }

  override stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const provider = this.named(this.models.find(request.model)?.provider ?? 'unknown');
    const startedAt = this.clock.monotonic();
    return new WatchedStream(this.models.stream(request, signal), signal, (outcome) => {
      this.seconds.observe((this.clock.monotonic() - startedAt) / 1000, { provider, outcome });
    });
  }
}

type Outcome = 'answered' | 'failed' | 'abandoned';

/** Hands events through as they are: a generator around the stream would take three more promises for each token. */
class WatchedStream implements AsyncIterableIterator<ModelEvent> {
  private readonly events: AsyncIterator<ModelEvent>;
  private outcome: Outcome = 'abandoned';
  private isOver = false;

  constructor(
    stream: AsyncIterable<ModelEvent>,
    private readonly signal: AbortSignal,
    /** Called once. */
    private readonly ended: (outcome: Outcome) => void,
  ) {
    this.events = stream[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ModelEvent>> {
    return this.events.next().then(this.passed, this.failed);
  }

  async return(): Promise<IteratorResult<ModelEvent>> {
    try {
      await this.events.return?.();
    } finally {
      this.end(this.outcome);
    }
    return { done: true, value: undefined };
  }

  private readonly passed = youngFunction((result: IteratorResult<ModelEvent>): IteratorResult<ModelEvent> => {
    if (result.done) this.end(this.outcome);
    else if (result.value.type === 'done') this.outcome = 'answered';
    return result;
  });

  private readonly failed = youngFunction((error: unknown): never => {
    this.end(this.signal.aborted ? 'abandoned' : 'failed');
    throw error;
  });

  private end(outcome: Outcome): void {
    if (this.isOver) return;
    this.isOver = true;
    this.ended(outcome);
  }
}
