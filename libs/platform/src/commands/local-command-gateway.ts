import { CommandGateway, type GatewayCommand, type JsonObject } from '@aos/kernel';
import { RoutedCommands } from './routed-commands.js';

/** All contexts in one process: a command is a call. */
export class LocalCommandGateway extends CommandGateway {
  constructor(private readonly routed: RoutedCommands) {
    super();
  }

  override send(command: GatewayCommand): Promise<JsonObject> {
    return this.routed.handle(command);
  }
}
