import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

type Labels = Record<string, string>;

export interface CounterMetric {
  add(labels?: Labels, by?: number): void;
}
export interface GaugeMetric {
  set(value: number, labels?: Labels): void;
}
export interface HistogramMetric {
  observe(value: number, labels?: Labels): void;
}

/** Buckets for durations in seconds, from 1 ms to 1 minute. */
export const durationBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
] as const;

/**
 * How often the event loop's lag is measured; what is measured includes it. The usual 10 ms wake a process that rests a
 * hundred times a second.
 */
const lagSampledMs = 100;

/**
 * The measures of one process, as Prometheus text.
 *
 * Asking for a name twice gives the same measure. Label values must come from a small fixed set (routes, codes), never
 * from callers.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly known = new Map<string, Counter | Gauge | Histogram>();

  constructor(options: { processMetrics?: boolean } = {}) {
    if (options.processMetrics)
      collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: lagSampledMs });
  }

  counter(name: string, help: string, labelNames: readonly string[] = []): CounterMetric {
    const counter = this.once(
      name,
      () => new Counter({ name, help, labelNames: [...labelNames], registers: [this.registry] }),
    );
    return {
      add: (labels = {}, by = 1) => {
        counter.inc(labels, by);
      },
    };
  }

  /** A counter that its owner keeps, one sum for each set of labels, and that is read when it is asked for. */
  observedCounter(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Iterable<readonly [labels: Labels, sum: number]>,
  ): void {
    this.once(
      name,
      () =>
        new Counter({
          name,
          help,
          labelNames: [...labelNames],
          registers: [this.registry],
          collect() {
            this.reset();
            for (const [labels, sum] of read()) this.inc(labels, sum);
          },
        }),
    );
  }

  gauge(name: string, help: string, labelNames: readonly string[] = []): GaugeMetric {
    const gauge = this.once(
      name,
      () => new Gauge({ name, help, labelNames: [...labelNames], registers: [this.registry] }),
    );
    return {
      set: (value, labels = {}) => {
        gauge.set(labels, value);
      },
    };
  }

  /** A gauge that is read when it is asked for. */
  observedGauge(name: string, help: string, read: () => number): void {
    this.once(
      name,
      () =>
        new Gauge({
          name,
          help,
          registers: [this.registry],
          collect() {
            this.set(read());
          },
        }),
    );
  }

  /** Gauges that are read when they are asked for, by the values of one label. */
  observedGauges(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void {
    this.once(
      name,
      () =>
        new Gauge({
          name,
          help,
          labelNames: [label],
          registers: [this.registry],
          collect() {
            for (const [value, measured] of Object.entries(read())) this.set({ [label]: value }, measured);
          },
        }),
    );
  }

  /** A gauge that is 1 once something stopped for good. */
  observeStop({ name, help }: { name: string; help: string }, failure: () => unknown): void {
    this.observedGauge(name, help, () => (failure() === null ? 0 : 1));
  }

  histogram(
    name: string,
    help: string,
    labelNames: readonly string[] = [],
    buckets: readonly number[] = durationBuckets,
  ): HistogramMetric {
    const histogram = this.once(
      name,
      () =>
        new Histogram({ name, help, labelNames: [...labelNames], buckets: [...buckets], registers: [this.registry] }),
    );
    return {
      observe: (value, labels = {}) => {
        histogram.observe(labels, value);
      },
    };
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  private once<M extends Counter | Gauge | Histogram>(name: string, make: () => M): M {
    const known = this.known.get(name);
    if (known) return known as M;
    const made = make();
    this.known.set(name, made);
    return made;
  }
}
