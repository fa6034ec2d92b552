import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import type { GatewayCommand, JsonObject } from '@aos/kernel';
import type { CallerCommand } from './caller-command.js';
import { commandOf } from './command-handlers-in.js';
import { routedOf, type RoutedClass, type RoutedCommand } from './routed.js';

type Execute = (command: CallerCommand<unknown, unknown>) => Promise<unknown>;

/** The routed commands that this process carries out. */
@Injectable()
export class RoutedCommands {
  private readonly byName = new Map<string, { routed: RoutedCommand; execute: Execute }>();

  /** Takes a class with `@Routed`, and what carries its commands out. */
  register(type: RoutedClass, execute: Execute): void {
    const routed = routedOf(type);
    if (!routed) throw new Error(`${type.name} is not routed`);
    if (this.byName.has(routed.name)) throw new Error(`two handlers of ${routed.name}`);
    this.byName.set(routed.name, { routed, execute });
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  /**
   * Checks caller and input, then carries the command out. The handler keeps the delivery id in its state, so that a
   * repeat answers as the first time. A command without a handler is a fault of the sender and throws.
   */
  async handle({ name, identity, payload, deliveryId }: GatewayCommand): Promise<JsonObject> {
    const own = this.byName.get(name);
    if (!own) throw new Error(`the command ${name} has no handler`);
    const { routed, execute } = own;
    routed.checkCaller(identity);
    routed.checkInput(payload);
    return (await execute(new routed.type(identity, payload as never, deliveryId))) as JsonObject;
  }
}

/** Registers every routed command whose handler the modules of this process list. */
@Injectable()
export class RoutedCommandsExplorer implements OnModuleInit {
  constructor(
    private readonly modules: ModulesContainer,
    private readonly moduleRef: ModuleRef,
    private readonly routed: RoutedCommands,
  ) {}

  onModuleInit(): void {
    const types = new Set<RoutedClass>();
    for (const { providers } of this.modules.values()) {
      for (const { metatype } of providers.values()) {
        const type = commandOf(metatype);
        if (type && routedOf(type)) types.add(type);
      }
    }
    if (types.size === 0) return;
    const bus = this.moduleRef.get(CommandBus, { strict: false });
    for (const type of types) this.routed.register(type, (command) => bus.execute(command));
  }
}
