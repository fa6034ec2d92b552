import { Injectable, type OnModuleInit } from '@nestjs/common';
import { badRequest, type JsonObject } from '@aos/kernel';
import { CommandHandlers, requireOperator } from '@aos/platform';
import { OperatorCommands } from './operator-commands.js';
import { operatorAnswer } from './operator-socket.js';
import { parseAsk } from './operator-wire.js';

/** The command that carries an operator's request to access-service. */
export const operatorCommandName = 'operators.run';

/**
 * Operator endpoint of a fleet: a command between services. Only a caller that signs with the master keys can send it.
 */
@Injectable()
export class OperatorEndpoint implements OnModuleInit {
  constructor(
    private readonly handlers: CommandHandlers,
    private readonly commands: OperatorCommands,
  ) {}

  onModuleInit(): void {
    this.handlers.register(operatorCommandName, async ({ identity, payload }): Promise<JsonObject> => {
      requireOperator(identity);
      const ask = parseAsk(JSON.stringify(payload));
      if (!ask) throw badRequest([{ path: '/payload', message: 'is no operator request' }]);
      return await operatorAnswer(this.commands, ask.words, ask.options);
    });
  }
}
