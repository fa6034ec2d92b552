import type { Egress, EventLog, EventStore, LogRecord, ModelEvent, ModelProvider, ModelRequest } from '@aos/kernel';
import { isInSpan, isTracing, startSpan, traceHeaders, traced, type OpenSpan } from '@aos/platform';
import type { Ports } from './ports.js';

/** The ports with a span around what they do; the ports as they are when traces are sent nowhere. */
export function withTraces<P extends Ports>(ports: P, system: string): P {
  if (!isTracing()) return ports;
  const { eventStore, eventLog, models, egress } = ports;
  return {
    ...ports,
    eventStore: tracedPort(eventStore, storeMethods(eventStore, system)),
    ...(eventLog && { eventLog: tracedPort(eventLog, logMethods(eventLog)) }),
    ...(models && { models: tracedPort(models, modelMethods(models)) }),
    ...(egress && { egress: tracedPort(egress, egressMethods(egress)) }),
  };
}

/** The port with its traced methods. Everything else is the port's own. */
function tracedPort<P extends object>(port: P, methods: Partial<P>): P {
  return new Proxy(port, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' && name !== 'constructor' ? value.bind(target) : value;
    },
  });
}

/** Appends and reads inside an open span. Events of an append carry the trace on to the relays that publish them. */
function storeMethods(store: EventStore, system: string): Pick<EventStore, 'append' | 'read'> {
  const operation = <T>(name: 'append' | 'read', stream: string, work: (span: OpenSpan) => Promise<T>): Promise<T> => {
    const category = stream.split('-', 1)[0] ?? '';
    const attributes = { 'db.system.name': system, 'db.operation.name': name, 'db.collection.name': category };
    return traced({ name: `${name} ${category}`, kind: 'client', attributes }, work);
  };
  return {
    append: (stream, expected, events) => {
      if (!isInSpan()) return store.append(stream, expected, events);
      return operation('append', stream, async (span) => {
        span.set({ 'db.operation.batch.size': events.length });
        const { traceparent } = span;
        const marked =
          traceparent === null ? events : events.map((event) => ({ ...event, meta: { ...event.meta, traceparent } }));
        return store.append(stream, expected, marked);
      });
    },
    read: (stream, options) =>
      isInSpan() ? operation('read', stream, () => store.read(stream, options)) : store.read(stream, options),
  };
}

/** Records that carry a trace are sent and received inside it: one span for each trace of a batch. */
function logMethods(log: EventLog): Pick<EventLog, 'publish' | 'consume'> {
  return {
    publish: (topic, records) =>
      inTheirSpans({ name: 'send', topic, kind: 'producer' }, records, (spans) =>
        log.publish(
          topic,
          records.map((record) => {
            const traceparent = spans.get(record.headers.traceparent ?? '')?.traceparent;
            return traceparent ? { ...record, headers: { ...record.headers, traceparent } } : record;
          }),
        ),
      ),
    consume: (options, handler) =>
      log.consume(options, (records) =>
        inTheirSpans({ name: 'process', topic: records[0]?.topic ?? '', kind: 'consumer' }, records, () =>
          handler(records),
        ),
      ),
  };
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
function modelMethods(models: ModelProvider): Pick<ModelProvider, 'stream'> {
  return { stream: (request, signal) => modelEvents(models, request, signal) };
}

async function* modelEvents(
  models: ModelProvider,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const span = startSpan({
    name: `chat ${request.model}`,
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': request.model,
      'gen_ai.provider.name': models.find(request.model)?.provider,
    },
  });
  try {
    for await (const event of models.stream(request, signal)) {
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

/** Calls to addresses that users gave. The receiver is sent the trace; the span has the status and no address. */
function egressMethods(egress: Egress): Pick<Egress, 'open' | 'sendMail'> {
  return {
    open: async (request) => {
      const { method } = request;
      const span = startSpan({ name: method, kind: 'client', attributes: { 'http.request.method': method } });
      try {
        const response = await span.run(() =>
          egress.open({ ...request, headers: { ...request.headers, ...traceHeaders() } }),
        );
        span.set({ 'http.response.status_code': response.status });
        return { ...response, body: bodyInSpan(response.body, span) };
      } catch (error) {
        span.fail(error);
        span.end();
        throw error;
      }
    },
    sendMail: async (mail) => {
      const span = startSpan({ name: 'MAIL', kind: 'client', attributes: {} });
      try {
        const answer = await span.run(() => egress.sendMail(mail));
        span.set({ 'smtp.response.status_code': answer.status ?? undefined });
        return answer;
      } catch (error) {
        span.fail(error);
        throw error;
      } finally {
        span.end();
      }
    },
  };
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
