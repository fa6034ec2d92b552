import { Injectable } from '@nestjs/common';
import { CommandGateway, type GatewayCommand, type JsonObject } from '@aos/kernel';

/**
 * Carries one command of another context out. Keeps the delivery id in its state, so that a repeat answers as the first
 * time.
 */
export type CommandHandler = (command: GatewayCommand) => Promise<JsonObject>;

/**
 * The commands that other contexts may send to this process.
 *
 * A context registers its own in `onModuleInit`, as `<plural noun>.<verb>` such as `interactions.open`; the noun says
 * which service owns it.
 */
@Injectable()
export class CommandHandlers {
  private readonly byName = new Map<string, CommandHandler>();

  register(name: string, handler: CommandHandler): void {
    if (!/^[a-z][a-z_]*\.[a-z][a-z_]*$/.test(name)) throw new Error(`${name} is not a command's name`);
    if (this.byName.has(name)) throw new Error(`two handlers of ${name}`);
    this.byName.set(name, handler);
  }

  get names(): readonly string[] {
    return [...this.byName.keys()];
  }

  has(name: string): boolean {
    return this.byName.has(name);
  }

  /** A command without a handler is a fault of the sender and throws. */
  handle(command: GatewayCommand): Promise<JsonObject> {
    const handler = this.byName.get(command.name);
    if (!handler) return Promise.reject(new Error(`nobody handles the command ${command.name}`));
    return handler(command);
  }
}

/** All contexts in one process: a command is a call. */
@Injectable()
export class LocalCommandGateway extends CommandGateway {
  constructor(private readonly handlers: CommandHandlers) {
    super();
  }

  override send(command: GatewayCommand): Promise<JsonObject> {
    return this.handlers.handle(command);
  }
}
