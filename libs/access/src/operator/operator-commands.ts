import { Injectable } from '@nestjs/common';
import { invalidArgument, type Json } from '@aos/kernel';

/** The operator's input: words that are no part of the command's name, and `--name value` pairs. */
export interface OperatorRequest {
  args: readonly string[];
  options: Readonly<Record<string, string>>;
}

export interface OperatorUsage {
  /** One or two words, such as `org create`. */
  name: string;
  usage: string;
  summary: string;
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
    return [...this.byName.values()].map(({ name, usage, summary }) => ({ name, usage, summary }));
  }

  /**
   * Takes    the words as typed. Refuses invalid_argument for a command that is not registered, and for an option that
   *          its usage does not name; passes on the command's own refusals.
   */
  async run(words: readonly string[], options: Readonly<Record<string, string>>): Promise<Json> {
    for (let length = Math.min(nameWordsMax, words.length); length > 0; length -= 1) {
      const command = this.byName.get(words.slice(0, length).join(' '));
      if (!command) continue;
      requireKnown(Object.keys(options), command);
      return command.run({ args: words.slice(length), options });
    }
    throw invalidArgument('command', `no such command: ${words.slice(0, nameWordsMax).join(' ')}`);
  }
}

/** A misspelt option that is passed over would give a key more rights than were meant. */
function requireKnown(options: readonly string[], { usage }: OperatorUsage): void {
  const known = [...usage.matchAll(/--([a-z-]+)/g)].map(([, name]) => name);
  for (const option of options)
    if (!known.includes(option)) throw invalidArgument(option, `is no option of this command: ${usage}`);
}

/** The words after the command's name. Refuses invalid_argument when there are none. */
export function requiredArgument({ args }: OperatorRequest, name: string): string {
  const text = args.join(' ').trim();
  if (text === '') throw invalidArgument(name, 'is missing');
  return text;
}
