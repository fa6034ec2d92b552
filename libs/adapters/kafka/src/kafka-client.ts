import type { ConnectionOptions } from 'node:tls';
import { StoreUnavailable, messageOf } from '@aos/kernel';
import { Kafka, logLevel, type Admin, type KafkaConfig, type LogEntry, type SASLOptions } from 'kafkajs';
import { replaceInternals } from './client-internals.js';

export interface KafkaSettings {
  /** `host:port` of some of the brokers. */
  brokers: readonly string[];
  /** How the brokers' logs call this process; default `svc`. */
  clientId?: string;
  /** True, or options of the connection (`ca`, `cert`, `key`). */
  tls?: boolean | ConnectionOptions;
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string };
  /** Hears what the client has to say; what a program must know comes as an error or through `onTrouble`. */
  log?: { debug(message: string, fields?: object): void; warn(message: string, fields?: object): void };
}

/** Together about 2.5 s of pauses and 6 s of connecting at the most: below the time a call may take. */
export const callRetry = { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000 };
export const callTimeoutMs = 9_000;
const disconnectTimeoutMs = 2_000;

/** Faults of the settings; everything else that the client logs is a retry in progress. */
const faultOfSettings = /sasl|authenticat|authoriz|certificate|self.signed/i;

export function kafkaClient(settings: KafkaSettings): Kafka {
  replaceInternals();
  const config: KafkaConfig = {
    brokers: [...settings.brokers],
    clientId: settings.clientId ?? 'svc',
    connectionTimeout: 1_000,
    authenticationTimeout: 5_000,
    requestTimeout: 5_000,
    retry: callRetry,
    logLevel: logLevel.WARN,
    logCreator:
      () =>
      ({ namespace, log }: LogEntry) => {
        const { message, timestamp: _time, logger: _logger, ...fields } = log;
        const text = `kafka ${namespace}: ${message}`;
        const detail = typeof fields['error'] === 'string' ? `${message} ${fields['error']}` : message;
        if (faultOfSettings.test(detail)) settings.log?.warn(text, fields);
        else settings.log?.debug(text, fields);
      },
  };
  if (settings.tls) config.ssl = settings.tls;
  if (settings.sasl) config.sasl = settings.sasl as SASLOptions;
  return new Kafka(config);
}

/** Rejects with `StoreUnavailable` when the promise takes longer; its later outcome is ignored. */
export async function within<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new StoreUnavailable(`Kafka: ${what} took longer than ${Math.round(ms)} ms`));
    }, ms);
  });
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets go of a client: one that cannot say goodbye in time is left to its closed sockets. */
export async function letGo(
  client: { disconnect(): Promise<void> },
  settings: KafkaSettings,
  ms = disconnectTimeoutMs,
): Promise<void> {
  try {
    await within(client.disconnect(), ms, 'disconnecting');
  } catch (error) {
    settings.log?.debug('kafka: a client was dropped', { error: String(error) });
  }
}

/** The types of the errors that the client wrapped in one another. */
export function errorTypes(error: unknown): string[] {
  const types: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    const { type } = current as Error & { type?: unknown };
    if (typeof type === 'string') types.push(type);
    current = current.cause;
  }
  return types;
}

/** Whether a broker refused user or password: the client says so by the name of an error inside the others. */
export function isLoginRefused(error: unknown): boolean {
  let current: unknown = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    if (current.name === 'KafkaJSSASLAuthenticationError') return true;
    current = current.cause;
  }
  return false;
}

export function unavailable(what: string, error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  return new StoreUnavailable(`Kafka: ${what}: ${messageOf(error)}`, { cause: error });
}

/** Runs on an admin connection of its own. Refuses `StoreUnavailable` within the time a call may take. */
export async function withAdmin<T>(
  kafka: Kafka,
  settings: KafkaSettings,
  what: string,
  action: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = kafka.admin({ retry: callRetry });
  try {
    return await within(
      admin.connect().then(() => action(admin)),
      callTimeoutMs,
      what,
    );
  } catch (error) {
    throw unavailable(what, error);
  } finally {
    await letGo(admin, settings, 500);
  }
}
