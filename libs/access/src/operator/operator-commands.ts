import { Injectable } from '@nestjs/common';
import { invalidArgument, type Json } from '@aos/kernel';
import { unknownOption, usageText, type OperatorUsage } from './operator-usage.js';

/** The operator's input: words that are no part of the command's name, and `--name value` pairs. */
export interface OperatorRequest {
  args: readonly string[];
  options: Readonly<Record<string, string>>;
}

export interface OperatorCommand extends OperatorUsage {
  run(request: OperatorRequest): Promise<Json>;
}

const nameWordsMax = 2;

/**
 * Commands of the operator's command line. Each context registers its own; they run in the process that owns the data.
 */
@Injectable()
export class OperatorCommands {
  private readonly byName = new Map<string, OperatorCommand>();

  register(command: OperatorCommand): void {
    if (this.byName.has(command.name)) throw new Error(`two operator commands ${command.name}`);
    this.byName.set(command.name, command);
  }

  get usages(): OperatorUsage[] {
    return [...this.byName.values()];
  }

  /**
   * Takes    the words as typed.
   * Refuses  invalid_argument for a command that is not registered, and for an option that it does not have; passes on
   *          the command's own refusals.
   */
  async run(words: readonly string[], options: Readonly<Record<string, string>>): Promise<Json> {
    for (let length = Math.min(nameWordsMax, words.length); length > 0; length -= 1) {
      const command = this.byName.get(words.slice(0, length).join(' '));
      if (!command) continue;
      const unknown = unknownOption(options, [command]);
      if (unknown !== undefined) throw invalidArgument(unknown, `is no option of this command: ${usageText(command)}`);
      return command.run({ args: words.slice(length), options });
    }
    throw invalidArgument('command', `no such command: ${words.slice(0, nameWordsMax).join(' ')}`);
  }
}

/** The words after the command's name. Refuses invalid_argument when there are none. */
export function requiredArgument({ args }: OperatorRequest, name: string): string {
  const text = args.join(' ').trim();
  if (text === '') throw invalidArgument(name, 'is missing');
  return text;
}
