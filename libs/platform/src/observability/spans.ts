/** What a span is of: small fixed texts, numbers and ids. Never content, headers, keys or addresses that users gave. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanSpec {
  /** Few different ones: an operation and what it is done to, never an id. */
  name: string;
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  attributes?: SpanAttributes;
  /**
   * A W3C `traceparent` that came from elsewhere; absent: the span that is open here, if any. Null: nothing, a trace of
   * its own.
   */
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
