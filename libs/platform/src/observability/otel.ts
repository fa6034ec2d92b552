import { randomUUID } from 'node:crypto';
import {
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  diag,
  propagation,
  trace,
} from '@opentelemetry/api';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { OpenSpan, SpanAttributes, SpanSpec, TraceBackend, TracingOptions } from './spans.js';

const spanKinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;
const closeMs = 3_000;
const troubleLengthMax = 300;

/**
 * Spans by the OpenTelemetry SDK to an OTLP/HTTP receiver; its own settings (`OTEL_TRACES_SAMPLER`, `OTEL_BSP_*`,
 * `OTEL_RESOURCE_ATTRIBUTES`) count.
 */
export class OtelBackend implements TraceBackend {
  private readonly sdk: NodeSDK;
  private readonly tracer: Tracer;

  constructor({ endpoint, service, version, onTrouble }: TracingOptions) {
    const quiet = () => undefined;
    const told = (message: string) => {
      onTrouble(message.slice(0, troubleLengthMax));
    };
    diag.setLogger(
      { error: told, warn: told, info: quiet, debug: quiet, verbose: quiet },
      { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
    );
    const own = {
      'service.version': version,
      'service.instance.id': randomUUID(),
      ...resourceAttributes(process.env['OTEL_RESOURCE_ATTRIBUTES']),
    };
    this.sdk = new NodeSDK({
      serviceName: service,
      resourceDetectors: [{ detect: () => ({ attributes: own }) }],
      instrumentations: [],
      metricReaders: [],
      logRecordProcessors: [],
      traceExporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` }),
    });
    this.sdk.start();
    this.tracer = trace.getTracer('agent-orchestration-service', version);
  }

  start({ name, kind, attributes, parent }: SpanSpec): OpenSpan {
    const before =
      parent === undefined
        ? context.active()
        : parent === null
          ? ROOT_CONTEXT
          : propagation.extract(ROOT_CONTEXT, { traceparent: parent });
    const span = this.tracer.startSpan(
      name,
      { kind: spanKinds[kind], ...(attributes ? { attributes: defined(attributes) } : {}) },
      before,
    );
    return new OtelSpan(span, trace.setSpan(before, span));
  }

  headers(): Readonly<Record<string, string>> {
    return carrierOf(context.active());
  }

  get isRecording(): boolean {
    return trace.getActiveSpan()?.isRecording() ?? false;
  }

  get traceId(): string | null {
    return trace.getActiveSpan()?.spanContext().traceId ?? null;
  }

  outside<T>(work: () => T): T {
    return context.with(ROOT_CONTEXT, work);
  }

  kept(): <T>(work: () => T) => T {
    const then = context.active();
    return (work) => context.with(then, work);
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, closeMs);
    });
    await Promise.race([this.sdk.shutdown(), late]);
    clearTimeout(timer);
    for (const api of [trace, context, propagation, diag]) api.disable();
  }
}

class OtelSpan implements OpenSpan {
  constructor(
    private readonly span: Span,
    private readonly inside: Context,
  ) {}

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(defined(attributes));
  }

  /** The kind of fault only: messages may hold what users said. */
  fail(error: unknown): void {
    const { name, code } =
      error instanceof Error ? (error as Error & { code?: unknown }) : { name: 'unknown', code: undefined };
    this.span.setAttribute('error.type', typeof code === 'string' ? code : name);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }

  get traceparent(): string | null {
    return this.span.isRecording() ? (carrierOf(this.inside)['traceparent'] ?? null) : null;
  }

  run<T>(work: () => T): T {
    return context.with(this.inside, work);
  }
}

function carrierOf(from: Context): Record<string, string> {
  const carrier: Record<string, string> = {};
  propagation.inject(from, carrier);
  return carrier;
}

function defined(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/**
 * `key=value,key=value`, percent-encoded, as the standard of its variable says; what is not in that form is left out.
 */
function resourceAttributes(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '')
    .split(',')
    .map((pair) => pair.split('=', 2))
    .filter((pair): pair is [string, string] => pair.length === 2 && pair[0]?.trim() !== '');
  return Object.fromEntries(pairs.map(([key, value]) => [key.trim(), safelyDecoded(value.trim())]));
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
