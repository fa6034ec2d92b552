/** What a span is of: small fixed texts, numbers and ids. Never content, headers, keys or addresses that users gave. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanSpec {
  /** Few different ones: an operation and what it is done to, never an id. */
  name: string;
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  attributes?: SpanAttributes;
  /** A W3C `traceparent` that came from elsewhere; absent: the span that is open here, if any. Null: nothing, a trace of its own. */
  parent?: string | undefined | null;
}

/** A span that is open. */
export interface OpenSpan {
  set(attributes: SpanAttributes): void;
  fail(error: unknown): void;
  end(): void;
  /** The span for others, as W3C `traceparent`; null when it is not sampled. */
  readonly traceparent: string | null;
  /** Runs work inside the span, which the caller ends. */
  run<T>(work: () => T): T;
}

/** Where spans go: `otel.ts`, loaded only when traces are sent somewhere. */
export interface TraceBackend {
  start(spec: SpanSpec): OpenSpan;
  /** Headers that carry the open span on; empty without one. */
  headers(): Readonly<Record<string, string>>;
  /** Whether a span is open that still records: one that ended has lent its context to what goes on after it. */
  readonly isRecording: boolean;
  readonly traceId: string | null;
  /** Runs work outside of every span. */
  outside<T>(work: () => T): T;
  /** The context of now, for work that begins later. */
  kept(): <T>(work: () => T) => T;
  close(): Promise<void>;
}

export interface TracingOptions {
  /** Base URL of the OTLP/HTTP receiver. */
  endpoint: string;
  service: string;
  version: string;
  onTrouble: (message: string) => void;
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});
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

/** Sends spans from now on, unless this process does so already; resolves with how to stop. Without it spans cost a look at a variable. */
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
  return backend ? backend.headers() : NO_HEADERS;
}

/** For log lines. */
export function openTraceId(): string | null {
  return backend ? backend.traceId : null;
}

/** Runs work that goes on for long and belongs to nobody in particular. */
export function outsideSpans<T>(work: () => T): T {
  return backend ? backend.outside(work) : work();
}

/** The trace context of now, for work that waits for its place. */
export function keptContext(): <T>(work: () => T) => T {
  return backend ? backend.kept() : notKept;
}
