export { Lags } from './lags.js';
export { Log, PinoLog } from './log.js';
export type { LogFields, LogOptions } from './log.js';
export { NestLog } from './nest-log.js';
export { durationBuckets, Metrics } from './metrics.js';
export type { CounterMetric, GaugeMetric, HistogramMetric } from './metrics.js';
export {
  isInSpan,
  isTracing,
  keptContext,
  openTraceId,
  outsideSpans,
  startSpan,
  startTracing,
  traceHeaders,
  traced,
} from './tracing.js';
export type { OpenSpan, SpanAttributes, SpanSpec, TracingOptions } from './spans.js';
