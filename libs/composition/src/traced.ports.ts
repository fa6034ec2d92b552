import {
  Egress,
  EventLog,
  EventStore,
  ModelProvider,
  type Appended,
  type ConsumeOptions,
  type ConsumedRecord,
  type EgressRequest,
  type EventSubscription,
  type ExpectedRevision,
  type LogConsumer,
  type LogRecord,
  type ModelEvent,
  type ModelOption,
  type ModelRequest,
  type NewEvent,
  type OpenedResponse,
  type Position,
  type ReadOptions,
  type RecordedEvent,
  type SubscribeOptions,
  type TopicSpec,
} from '@aos/kernel';
import { isInSpan, isTracing, startSpan, traceHeaders, traced, type OpenSpan } from '@aos/platform';
import type { Ports } from './ports.module.js';

/** The ports with a span around what they do; the ports as they are when traces are sent nowhere. */
export function withTraces<P extends Ports>(ports: P, system: string): P {
  if (!isTracing()) return ports;
  return {
    ...ports,
    eventStore: new TracedEventStore(ports.eventStore, system),
    ...(ports.eventLog ? { eventLog: new TracedEventLog(ports.eventLog) } : {}),
    ...(ports.models ? { models: new TracedModelProvider(ports.models) } : {}),
    ...(ports.egress ? { egress: new TracedEgress(ports.egress) } : {}),
  };
}

/** Appends and reads that belong to something traced; an append leaves the trace with its events, for whoever tells of them later. */
class TracedEventStore extends EventStore {
  constructor(
    private readonly store: EventStore,
    private readonly system: string,
  ) {
    super();
  }

  override append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended> {
    if (!isInSpan()) return this.store.append(stream, expected, events);
    return this.operation('append', stream, async (span) => {
      span.set({ 'db.operation.batch.size': events.length });
      const { traceparent } = span;
      const told =
        traceparent === null ? events : events.map((event) => ({ ...event, meta: { ...event.meta, traceparent } }));
      return this.store.append(stream, expected, told);
    });
  }

  override read(stream: string, options: ReadOptions): Promise<RecordedEvent[]> {
    return isInSpan()
      ? this.operation('read', stream, () => this.store.read(stream, options))
      : this.store.read(stream, options);
  }

  override heads(streams: readonly string[]): Promise<(number | 'none')[]> {
    return this.store.heads(streams);
  }

  override subscribe(
    options: SubscribeOptions,
    handler: (events: RecordedEvent[]) => Promise<void>,
  ): EventSubscription {
    return this.store.subscribe(options, handler);
  }

  override end(): Promise<Position> {
    return this.store.end();
  }

  override truncate(stream: string, before: number): Promise<void> {
    return this.store.truncate(stream, before);
  }

  override get soleWriter(): boolean {
    return this.store.soleWriter;
  }

  override close(): Promise<void> {
    return this.store.close();
  }

  private operation<T>(name: 'append' | 'read', stream: string, work: (span: OpenSpan) => Promise<T>): Promise<T> {
    const category = stream.split('-', 1)[0] ?? '';
    return traced(
      {
        name: `${name} ${category}`,
        kind: 'client',
        attributes: { 'db.system.name': this.system, 'db.operation.name': name, 'db.collection.name': category },
      },
      work,
    );
  }
}

/** Records that bear a trace are sent and received inside it: one span for each trace of a batch. */
class TracedEventLog extends EventLog {
  constructor(private readonly log: EventLog) {
    super();
  }

  override ensureTopics(topics: readonly TopicSpec[]): Promise<void> {
    return this.log.ensureTopics(topics);
  }

  override publish(topic: string, records: readonly (LogRecord & { partition?: number })[]): Promise<void> {
    return inTheirSpans({ name: 'send', topic, kind: 'producer' }, records, (spans) =>
      this.log.publish(
        topic,
        records.map((record) => {
          const traceparent = spans.get(record.headers.traceparent ?? '')?.traceparent;
          return traceparent ? { ...record, headers: { ...record.headers, traceparent } } : record;
        }),
      ),
    );
  }

  override consume(options: ConsumeOptions, handler: (records: ConsumedRecord[]) => Promise<void>): LogConsumer {
    return this.log.consume(options, (records) =>
      inTheirSpans({ name: 'process', topic: records[0]?.topic ?? '', kind: 'consumer' }, records, () =>
        handler(records),
      ),
    );
  }

  override tails(topic: string): Promise<ConsumedRecord[]> {
    return this.log.tails(topic);
  }

  override close(): Promise<void> {
    return this.log.close();
  }
}

async function inTheirSpans<T>(
  { name, topic, kind }: { name: 'send' | 'process'; topic: string; kind: 'producer' | 'consumer' },
  records: readonly LogRecord[],
  work: (spans: ReadonlyMap<string, OpenSpan>) => Promise<T>,
): Promise<T> {
  const spans = new Map<string, OpenSpan>();
  for (const {
    headers: { traceparent },
  } of records) {
    if (traceparent === undefined || spans.has(traceparent)) continue;
    spans.set(
      traceparent,
      startSpan({
        name: `${name} ${topic}`,
        kind,
        parent: traceparent,
        attributes: {
          'messaging.system': 'kafka',
          'messaging.destination.name': topic,
          'messaging.operation.name': name,
          'messaging.operation.type': name,
          'messaging.batch.message_count': records.length,
        },
      }),
    );
  }
  try {
    return await work(spans);
  } catch (error) {
    for (const span of spans.values()) span.fail(error);
    throw error;
  } finally {
    for (const span of spans.values()) span.end();
  }
}

/** Model calls by the conventions for generative AI: names and counts, nothing that was said. */
class TracedModelProvider extends ModelProvider {
  constructor(private readonly models: ModelProvider) {
    super();
  }

  override get catalog() {
    return this.models.catalog;
  }

  override find(model: string | undefined): ModelOption | null {
    return this.models.find(model);
  }

  override async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const span = startSpan({
      name: `chat ${request.model}`,
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': request.model,
        'gen_ai.provider.name': this.models.find(request.model)?.provider,
      },
    });
    try {
      for await (const event of this.models.stream(request, signal)) {
        if (event.type === 'done') {
          span.set({
            'gen_ai.response.model': event.model,
            'gen_ai.response.finish_reasons': event.stop,
            'gen_ai.usage.input_tokens': event.usage.input_tokens,
            'gen_ai.usage.output_tokens': event.usage.output_tokens,
          });
        }
        yield event;
      }
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  }
}

/** Calls to addresses that users gave: the receiver is told the trace, the trace is told the status and nothing of the address. */
class TracedEgress extends Egress {
  constructor(private readonly egress: Egress) {
    super();
  }

  override async open(request: EgressRequest): Promise<OpenedResponse> {
    const span = startSpan({
      name: request.method,
      kind: 'client',
      attributes: { 'http.request.method': request.method },
    });
    try {
      const response = await span.run(() =>
        this.egress.open({ ...request, headers: { ...request.headers, ...traceHeaders() } }),
      );
      span.set({ 'http.response.status_code': response.status });
      return { ...response, body: bodyInSpan(response.body, span) };
    } catch (error) {
      span.fail(error);
      span.end();
      throw error;
    }
  }

  override refusal(url: string): string | null {
    return this.egress.refusal(url);
  }
}

/** The span of an exchange ends with its body. */
async function* bodyInSpan(body: AsyncIterable<Uint8Array>, span: OpenSpan): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}
