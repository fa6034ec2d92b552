import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';
import { messageOf } from '@aos/kernel';

/** Hands the framework's own lines to our log; its start-up chatter only at level debug. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.target.debug(String(message), { context: contextOf(rest) });
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.target.error(messageOf(message), {
      context: contextOf(rest),
      ...(message instanceof Error ? { error: message } : {}),
    });
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.target.warn(String(message), { context: contextOf(rest) });
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.target.debug(String(message), { context: contextOf(rest) });
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.target.debug(String(message), { context: contextOf(rest) });
  }
}

function contextOf(rest: unknown[]): string | undefined {
  const last = rest.at(-1);
  return typeof last === 'string' ? last : undefined;
}
