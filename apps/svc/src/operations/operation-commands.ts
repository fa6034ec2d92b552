import { basename } from 'node:path';
import { Argument, Command, Option } from 'commander';
import type { CommandContext, MakeContext } from '../context/command-context.js';
import { usageComplaint } from '../console/complaint.js';
import { carryOut, filledPath, optionName, wireText, type Call } from './call.js';
import { groupSummaries } from './groups.js';
import type { Operation, OperationOption } from './operation.js';
import { operations } from './operations.js';
import { bodyFrom, fileBytes } from './request-body.js';
import { printStream } from './stream-output.js';

type Typed = Record<string, string | string[] | boolean | undefined>;

/** Operations for other callers: a worker speaks over the socket (`docs/WORKERS.md`), a redirect is for browsers. */
const unreachable: ReadonlySet<Operation['answer']> = new Set(['socket', 'redirect']);

/** Adds a command for each operation of the contract, `<group> <verb>`. */
export function addOperationCommands(program: Command, makeContext: MakeContext): void {
  const order = Object.keys(groupSummaries);
  const rankOf = (group: string) => (order.includes(group) ? order.indexOf(group) : order.length);
  const groups = [...grouped(reachable(), groupOf)].sort(([one], [other]) => rankOf(one) - rankOf(other));
  for (const [groupName, members] of groups) {
    const group = new Command(groupName).copyInheritedSettings(program);
    const summary = groupSummaries[groupName] ?? `The ${groupName} of the API`;
    group.summary(summary).description(`${summary}.`);
    for (const [verb, alternatives] of grouped(members, verbOf)) {
      const command = new Command(verb).copyInheritedSettings(program);
      describe(command, alternatives);
      command.action(() => perform(makeContext(command), alternatives, command));
      group.addCommand(command, { hidden: alternatives.every(isUnserved) });
    }
    program.addCommand(group, { hidden: members.every(isUnserved) });
  }
}

function reachable(): Operation[] {
  return operations.filter(({ answer }) => !unreachable.has(answer));
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

const groupOf = ({ words }: Operation): string => words.split(' ')[0] ?? '';
const verbOf = ({ words }: Operation): string => words.split(' ')[1] ?? '';
const isUnserved = ({ unserved }: Operation): boolean => unserved === true;

/** Arguments, options and help of a command: of one operation, or of two with other numbers of arguments. */
function describe(command: Command, alternatives: readonly Operation[]): void {
  const least = Math.min(...alternatives.map(({ args }) => args.length));
  const [longest] = [...alternatives].sort((one, other) => other.args.length - one.args.length);
  (longest?.args ?? []).forEach((name, index) => {
    command.addArgument(new Argument(index < least ? `<${name}>` : `[${name}]`));
  });
  command.summary(alternatives.map(({ summary }) => summary).join('; or: '));
  command.description(alternatives.map(aboutOf).join('\n\n'));
  const options = alternatives.flatMap(({ query, headers }) => [...query, ...headers]);
  for (const option of uniqueByName(options)) command.addOption(optionFor(option, alternatives));
  const bodies = alternatives.flatMap(({ body }) => body ?? []);
  if (bodies.length > 0) command.addOption(new Option('--data <json>', 'body: JSON, @file, or - for standard input'));
  if (bodies.includes('multipart')) command.addOption(new Option('--file <path>', 'the file that is sent'));
  const lines = alternatives.map(({ example, method, path }) => `  ${example}\n      ${method} ${path}`);
  command.addHelpText('after', `\nExample:\n${lines.join('\n')}\n`);
}

function aboutOf({ summary, description, destroys }: Operation): string {
  const asks = destroys === true ? ' It asks first; --yes answers.' : '';
  return `${summary}.${description === undefined ? '' : ` ${description}`}${asks}`;
}

function uniqueByName(options: readonly OperationOption[]): OperationOption[] {
  return [...new Map(options.map((option) => [option.name, option])).values()];
}

function optionFor(option: OperationOption, alternatives: readonly Operation[]): Option {
  const { name, type, choices, about } = option;
  const flag = `--${optionName(name)}`;
  if (type === 'boolean') return new Option(flag, about);
  const isRowsMax = name === 'limit' && alternatives.some(({ pages }) => pages);
  const text = isRowsMax ? 'At most this many rows; without it all of them.' : about;
  if (type === 'list') return new Option(`${flag} <value...>`, text);
  const made = new Option(`${flag} <value>`, text);
  return choices ? made.choices(choices) : made;
}

async function perform(context: CommandContext, alternatives: readonly Operation[], command: Command): Promise<void> {
  const given = command.args;
  const operation = alternatives.find(({ args }) => args.length === given.length) ?? alternatives[0];
  if (!operation) throw usageComplaint(`${command.name()} is no operation`);
  const typed = command.opts<Typed>();
  const call = await callOf(operation, given, typed, context);
  if (operation.destroys === true) await context.confirm(`${operation.summary} ${given.join(' ')}`.trim());
  if (operation.answer === 'stream') return printStream(context, call);
  context.print(await carryOut(context, operation, call));
}

async function callOf(
  operation: Operation,
  given: readonly string[],
  typed: Typed,
  { io }: CommandContext,
): Promise<Call> {
  const query: Call['query'] = {};
  for (const option of operation.query) {
    const value = typed[camelCase(option.name)];
    if (value !== undefined) query[option.name] = textsOf(option, value);
  }
  const headers: Call['headers'] = {};
  for (const option of operation.headers) {
    const value = typed[camelCase(option.name)];
    if (value !== undefined) headers[option.name] = String(value);
  }
  const rowsMax = operation.pages && query.limit !== undefined ? rowsMaxOf(String(query.limit)) : undefined;
  const body = await bodyOf(operation, typed, io);
  return {
    path: filledPath(operation, given),
    query,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(rowsMax === undefined ? {} : { rowsMax }),
  };
}

function rowsMaxOf(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw usageComplaint(`--limit takes a number from 1, not ${text}`);
  return count;
}

function textsOf(option: OperationOption, value: string | string[] | boolean): string | string[] {
  if (Array.isArray(value)) return value.map((one) => wireText(option, one));
  return wireText(option, String(value));
}

/** The name that commander gives an option's value: `--session-key` is `sessionKey`. */
function camelCase(name: string): string {
  return optionName(name).replace(/-([a-z0-9])/g, (_dash, letter: string) => letter.toUpperCase());
}

async function bodyOf(operation: Operation, typed: Typed, io: CommandContext['io']): Promise<unknown> {
  const { body, bodyRequired, example } = operation;
  if (body === undefined) return undefined;
  if (body === 'multipart') return formOf(operation, typed, io);
  if (typeof typed.data === 'string') return bodyFrom(typed.data, io);
  if (bodyRequired === true && operation.pages?.in !== 'body')
    throw usageComplaint(`this needs a body: --data <json>, --data @file or --data -`, example);
  return undefined;
}

/** A form with the file, and the members of `--data` beside it. */
async function formOf({ example }: Operation, { file, data }: Typed, io: CommandContext['io']): Promise<FormData> {
  if (typeof file !== 'string') throw usageComplaint('this needs a file: --file <path>', example);
  const form = new FormData();
  const members = typeof data === 'string' ? await bodyFrom(data, io) : {};
  if (typeof members !== 'object' || members === null) throw usageComplaint('--data must be an object', example);
  for (const [name, value] of Object.entries(members))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  form.append('file', new Blob([new Uint8Array(fileBytes(file))]), basename(file));
  return form;
}
