import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { openTraceId } from './tracing.js';

type Scalar = string | number | boolean | null | undefined;
const namedFields = [
  'app',
  'action',
  'attempt',
  'audience',
  'bytes',
  'category',
  'code',
  'composition',
  'context',
  'count',
  'error_type',
  'event_type',
  'host',
  'ip',
  'key_prefix',
  'kind',
  'method',
  'model',
  'name',
  'operation',
  'partition',
  'path',
  'pid',
  'port',
  'position',
  'projection',
  'provider',
  'reactor',
  'reason',
  'replica',
  'revision',
  'route',
  'service',
  'signal',
  'status',
  'stream',
  'timer',
  'topic',
  'url',
] as const;
type NamedField = (typeof namedFields)[number];

/**
 * What a log line may carry. Headers, bodies, prompts and keys have no name here, so they cannot be logged (control
 * S33).
 */
export type LogFields = {
  [
    Name in NamedField | `${string}_id` | `${string}_ms` | `${string}_bytes` | `${string}_count` | `${string}_seconds`
  ]?: Scalar;
} & { error?: unknown };

const namedSet: ReadonlySet<string> = new Set(namedFields);
const suffixedForm = /^[a-z][a-z_]*_(id|ms|bytes|count|seconds)$/;
const textLengthMax = 500;
const stackLengthMax = 4_000;
const causesMax = 3;

/**
 * Lines for operators. Only the fields of `LogFields` come through; anything else is dropped, whatever a caller's types
 * say.
 */
export abstract class Log {
  abstract debug(message: string, fields?: LogFields): void;
  abstract info(message: string, fields?: LogFields): void;
  abstract warn(message: string, fields?: LogFields): void;
  abstract error(message: string, fields?: LogFields): void;
  /** A log that adds these fields to every line. */
  abstract with(fields: LogFields): Log;
  /** Resolves when everything logged so far has left the process. */
  abstract flush(): Promise<void>;
}

export interface LogOptions {
  app: string;
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Null: for people when standard output is a terminal. */
  pretty: boolean | null;
  /** Where lines go; standard output by default. */
  destination?: DestinationStream;
}

export class PinoLog extends Log {
  private constructor(private readonly logger: Logger) {
    super();
  }

  static create({ app, level, pretty, destination }: LogOptions): PinoLog {
    const options = {
      level,
      base: { app },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }) },
    };
    if (destination) return new PinoLog(pino(options, destination));
    if (pretty ?? process.stdout.isTTY) {
      const transport = prettyTransport();
      if (transport) return new PinoLog(pino({ ...options, formatters: {} }, transport));
    }
    return new PinoLog(pino(options, pino.destination({ dest: 1, sync: true })));
  }

  override debug(message: string, fields: LogFields = {}): void {
    if (this.logger.isLevelEnabled('debug')) this.logger.debug(allowed(fields), message);
  }

  override info(message: string, fields: LogFields = {}): void {
    if (this.logger.isLevelEnabled('info')) this.logger.info(allowed(fields), message);
  }

  override warn(message: string, fields: LogFields = {}): void {
    this.logger.warn(allowed(fields), message);
  }

  override error(message: string, fields: LogFields = {}): void {
    this.logger.error(allowed(fields), message);
  }

  override with(fields: LogFields): Log {
    return new PinoLog(this.logger.child(allowed(fields)));
  }

  override flush(): Promise<void> {
    return new Promise((resolve) => this.logger.flush(() => resolve()));
  }
}

/** pino-pretty is a development dependency: without it lines stay JSON. */
function prettyTransport(): DestinationStream | null {
  try {
    require.resolve('pino-pretty');
  } catch {
    return null;
  }
  return pino.transport({
    target: 'pino-pretty',
    options: { ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss.l' },
  }) as DestinationStream;
}

function allowed(fields: LogFields): Record<string, unknown> {
  const line: Record<string, unknown> = {};
  const traceId = openTraceId();
  if (traceId !== null) line['trace_id'] = traceId;
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'error') line['error'] = describedError(value, causesMax);
    else if ((namedSet.has(name) || suffixedForm.test(name)) && isScalar(value))
      line[name] = typeof value === 'string' ? value.slice(0, textLengthMax) : value;
  }
  return line;
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Name, code, message and stack of an error and its causes; none of its other members. */
function describedError(error: unknown, causesLeft: number): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error).slice(0, textLengthMax) };
  const code = (error as { code?: unknown }).code;
  return {
    name: error.name,
    message: error.message.slice(0, textLengthMax),
    ...(isScalar(code) ? { code } : {}),
    stack: error.stack?.slice(0, stackLengthMax),
    ...(error.cause !== undefined && causesLeft > 0 ? { cause: describedError(error.cause, causesLeft - 1) } : {}),
  };
}
