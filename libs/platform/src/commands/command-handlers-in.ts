import type { Type } from '@nestjs/common';
import type { ICommandHandler } from '@nestjs/cqrs';
import type { RoutedClass } from './routed.js';

/** Key under which `@CommandHandler` keeps the command's class; `@nestjs/cqrs` does not export it. */
const handledCommand = '__commandHandler__';

/** The command class that a handler class carries out; null for any other value. */
export function commandOf(handler: unknown): RoutedClass | null {
  if (typeof handler !== 'function') return null;
  return (Reflect.getMetadata(handledCommand, handler) as RoutedClass | undefined) ?? null;
}

/** The command handlers among a file's exports, so that a module lists the file and forgets none of them. */
export function commandHandlersIn(file: Readonly<Record<string, unknown>>): Type<ICommandHandler>[] {
  return Object.values(file).filter((value): value is Type<ICommandHandler> => commandOf(value) !== null);
}
