import type { SpanSpec, OpenSpan, TraceBackend, TracingOptions } from './spans.js';

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});
const notKept = <T>(work: () => T): T => work();
const noSpan: OpenSpan = {
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
  traceparent: null,
  run: (work) => work(),
};

/** One per process, as the trace context itself is. */
let backend: TraceBackend | null = null;

/**
 * Sends spans from now on, unless this process does so already; resolves with how to stop. Without it spans cost a look
 * at a variable.
 */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  if (backend) return () => Promise.resolve();
  const { OtelBackend } = await import('./otel.js');
  const mine = new OtelBackend(options);
  backend = mine;
  return async () => {
    if (backend === mine) backend = null;
    await mine.close();
  };
}

export function isTracing(): boolean {
  return backend !== null;
}

/** Whether this work belongs to something that is traced, and not to what merely began in it. */
export function isInSpan(): boolean {
  return backend?.isRecording ?? false;
}

/** Opens a span that the caller ends. */
export function startSpan(spec: SpanSpec): OpenSpan {
  return backend ? backend.start(spec) : noSpan;
}

/** Runs work inside a span that ends with it, and fails when it throws. */
export async function traced<T>(spec: SpanSpec, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  if (!backend) return work(noSpan);
  const span = backend.start(spec);
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}

/** Headers that tell the next service which trace this belongs to. */
export function traceHeaders(): Readonly<Record<string, string>> {
  return backend ? backend.headers() : noHeaders;
}

/** For log lines. */
export function openTraceId(): string | null {
  return backend ? backend.traceId : null;
}

/** Runs long work that belongs to no request. */
export function outsideSpans<T>(work: () => T): T {
  return backend ? backend.outside(work) : work();
}

/** The trace context of now, for work that waits for its place. */
export function keptContext(): <T>(work: () => T) => T {
  return backend ? backend.kept() : notKept;
}
