import { ModelProvider, type Clock, type ModelEvent, type ModelOption, type ModelRequest } from '@aos/kernel';
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

  override async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const provider = this.named(this.models.find(request.model)?.provider ?? 'unknown');
    const startedAt = this.clock.monotonic();
    let outcome = 'abandoned';
    try {
      for await (const event of this.models.stream(request, signal)) {
        if (event.type === 'done') outcome = 'answered';
        yield event;
      }
    } catch (error) {
      outcome = signal.aborted ? 'abandoned' : 'failed';
      throw error;
    } finally {
      this.seconds.observe((this.clock.monotonic() - startedAt) / 1000, { provider, outcome });
    }
  }
}
