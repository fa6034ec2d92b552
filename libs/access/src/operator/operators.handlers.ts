import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { OperatorCommands } from './operator-commands.js';
import { operatorAnswer } from './operator-socket.js';
import type { OperatorAnswer } from './operator-wire.js';
import { RunOperatorCommand } from './operators.commands.js';

@CommandHandler(RunOperatorCommand)
export class RunOperatorCommandHandler implements ICommandHandler<RunOperatorCommand> {
  constructor(private readonly commands: OperatorCommands) {}

  execute({ input: { words, options } }: RunOperatorCommand): Promise<OperatorAnswer> {
    return operatorAnswer(this.commands, words, options);
  }
}
