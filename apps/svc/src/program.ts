import { Command, CommanderError, Option, type OutputConfiguration } from 'commander';
import { addBlueprintCommands } from './blueprints/blueprint-commands.js';
import { addChatCommand } from './chat/chat-command.js';
import { addApiCommand } from './commands/api.js';
import { addCompletionCommand } from './commands/completion.js';
import { CommandContext, type Exit, type GlobalOptions } from './context/command-context.js';
import { addDoctorCommand, type LocalChecks } from './commands/doctor.js';
import { addLoginCommand } from './commands/login.js';
import { addStatusCommand } from './commands/status.js';
import { complaintOf } from './connection/complaints.js';
import { Complaint, exitCodes, usageComplaint } from './console/complaint.js';
import { columnsOf, hasColours, type Io } from './console/io.js';
import { outputFormats } from './console/output.js';
import { painter, shown } from './console/text.js';
import { addOperationCommands } from './operations/operation-commands.js';
import { addTailCommands } from './tails/tail-commands.js';

/** Commands that need the data directory or the keys of a fleet. */
export type Operator = (argv: readonly string[], io: Io) => Promise<number>;
/** What differs between a checkout and the packed program, which has neither operator nor local checks. */
export type ProgramParts = { version: string; operator: Operator | null; localChecks: LocalChecks | null };

/** First words of the operator's commands. */
export const operatorWords: readonly string[] = ['org', 'key', 'role', 'rebuild', 'secrets', 'callback', 'log'];

const detailed = '--detailed-exitcode';
const afterHelp = `
Operator's commands, in a checkout and in the image only (they need the data directory, or the keys of the fleet):
  ${operatorWords.join(', ')}: npm run --silent svc -- org --help

Service and key: --url, SVC_URL or the profile; SVC_KEY or the profile. A key is never an argument.
Exit codes: 0 done, 1 refused or failed, 2 not understood. With ${detailed} 2 means changes, a stale plan is 3, the rest is 1.

Example:
  svc login
  svc chat guide
`;

/** Takes what was typed, the streams, and what differs between checkout and package. Gives the exit code. */
export async function runProgram(argv: readonly string[], io: Io, parts: ProgramParts): Promise<number> {
  const exit: Exit = { code: exitCodes.done };
  try {
    refuseKey(argv);
    if (operatorWords.includes(argv[0] ?? '')) return await runOperator(argv, io, parts);
    const program = makeProgram(io, parts, exit);
    if (argv.length === 0) program.help({ error: true });
    await program.parseAsync([...argv], { from: 'user' });
    return exit.code;
  } catch (error) {
    return report(error, argv, io);
  }
}

/** The program with all its commands; nothing is read or asked before one is parsed. */
export function makeProgram(io: Io, parts: ProgramParts, exit: Exit = { code: exitCodes.done }): Command {
  const program = new Command('svc')
    .description('Agents of the orchestration service from the command line.')
    .exitOverride()
    .configureOutput(writersOf(io))
    .version(parts.version, '--version', 'print the version')
    .addOption(new Option('--url <url>', 'address of the service'))
    .addOption(new Option('--profile <name>', 'profile of ~/.config/svc/config.yaml'))
    .addOption(new Option('--output <format>', 'table (on a terminal), json (elsewhere)').choices(outputFormats))
    .addOption(new Option('--yes', 'do what destroys without being asked'))
    .addHelpText('after', afterHelp);
  const makeContext = (command: Command) =>
    new CommandContext(io, command.optsWithGlobals<GlobalOptions>(), { version: parts.version, exit });
  refuseHelpOfUnknown(program);
  program.commandsGroup('Commands:');
  addLoginCommand(program, io);
  addStatusCommand(program, makeContext);
  addDoctorCommand(program, makeContext, parts);
  addChatCommand(program, makeContext);
  addBlueprintCommands(program, makeContext);
  addApiCommand(program, makeContext);
  addCompletionCommand(program, io);
  program.commandsGroup('Resources, by the contract:');
  addOperationCommands(program, makeContext);
  addTailCommands(program, makeContext);
  return program;
}

/** Help that is asked of a command that there is not is refused, as that command is. */
function refuseHelpOfUnknown(program: Command): void {
  program.on('beforeAllHelp', ({ error, command }: { error: boolean; command: Command }) => {
    const [word = 'help'] = command.args;
    if (!error && command.commands.length > 0 && word !== 'help' && !word.startsWith('-'))
      command.error(`error: unknown command '${word}'`);
  });
}

function writersOf(io: Io): OutputConfiguration {
  const { out, error, env } = io;
  return {
    writeOut: (text) => out.write(text),
    writeErr: (text) => error.write(text),
    outputError: (text, write) => {
      write(errorText(parsingComplaint(text), io));
    },
    getOutHelpWidth: () => columnsOf(out),
    getErrHelpWidth: () => columnsOf(error),
    getOutHasColors: () => hasColours(out, env),
    getErrHasColors: () => hasColours(error, env),
  };
}

/** A key among the arguments stands in the history of the shell and in the list of processes. */
function refuseKey(argv: readonly string[]): void {
  if (argv.some((word) => word === '--key' || word.startsWith('--key=')))
    throw usageComplaint(
      '--key is not taken: arguments stand in the history of the shell and in the list of processes',
      'Set SVC_KEY to the key, or keep it in a profile: svc login',
    );
}

function runOperator(argv: readonly string[], io: Io, { operator }: ProgramParts): Promise<number> {
  if (operator) return operator(argv, io);
  throw usageComplaint(
    `"${argv[0]}" is an operator's command, and this is the packed program: it has neither data directory nor keys`,
    `In a checkout: npm run --silent svc -- ${argv.join(' ')}`,
    'In the image: the program svc',
  );
}

/** Says on standard error what went wrong and what to do next. Gives the exit code. */
function report(error: unknown, argv: readonly string[], io: Io): number {
  const isDetailed = argv.includes(detailed);
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.done;
    return isDetailed ? exitCodes.failed : exitCodes.usage;
  }
  const complaint = error instanceof Complaint ? error : complaintOf(error);
  io.error.write(errorText(complaint, io));
  return isDetailed && complaint.exitCode === exitCodes.usage ? exitCodes.failed : complaint.exitCode;
}

function errorText({ message, next }: Complaint, { error, env }: Io): string {
  const paint = painter(hasColours(error, env));
  return `${[`${paint('red', 'Error:')} ${shown(message)}`, ...next.map((line) => `  ${shown(line)}`)].join('\n')}\n`;
}

/** What the parser of arguments says: `error: <what>`, and perhaps a line `(Did you mean <word>?)`. */
function parsingComplaint(text: string): Complaint {
  const [message = '', ...next] = text.trimEnd().split('\n');
  return usageComplaint(message.replace(/^error: /, ''), ...next.map((line) => line.replace(/^\((.*)\)$/, '$1')));
}
