import { Writable } from 'node:stream';
import type { Command, Option } from 'commander';
import type { Io } from './console/io.js';
import { makeProgram } from './program.js';

const heading = `# Command line

Made from the program by \`tools/cli-reference.mjs\`. In a checkout every command is \`npm run --silent svc -- <command>\`; as the package
\`agent-service-cli\` it is \`svc\`.

| exit code | when |
|---|---|
| 0 | done |
| 1 | refused or failed; \`doctor\`: a check is not ok |
| 2 | not understood; with \`--detailed-exitcode\`: there are changes |
| 3 | with \`--detailed-exitcode\`: the plan is stale (what fails otherwise is then 1) |

An error goes to standard error and says what to do next; standard output is then empty. The address is that of \`--url\`, \`SVC_URL\`, the profile, or
\`http://127.0.0.1:8080\`, the key that of \`SVC_KEY\` or the profile. A key is never an argument: \`--key\` is refused. A profile's key goes to the profile's
own address only. Profiles lie in \`~/.config/svc/config.yaml\`, for their owner only.

Without \`--output\` there are tables on a terminal and JSON elsewhere; \`NO_COLOR\` turns colours off. A list gives all rows of all pages, at most
\`--limit\`: \`json\` one array, \`ndjson\` a row a line. Bodies come by \`--data <json>\`, \`--data @file\` (YAML where the file is named so) or \`--data -\`. What
destroys asks first, and is refused without a terminal unless \`--yes\` is given.

The operator's commands (\`org\`, \`key\`, \`role\`, \`rebuild\`, \`secrets\`, \`callback\`) are in a checkout and in the image only: \`npm run --silent svc -- org --help\`.
`;

/** The reference page, made from the commands that are there. */
export function cliReference(): string {
  const out = new Writable();
  const io: Io = { input: process.stdin, out, error: out, env: {} };
  const program = makeProgram(io, { version: '', operator: null, localChecks: null });
  const commands = visibleIn(program);
  const own = commands.filter(({ commands: below }) => below.length === 0);
  const groups = commands.filter(({ commands: below }) => below.length > 0);
  return [
    heading,
    `## For every command\n\n${optionLines(program)}\n`,
    ...own.map((command) => `## svc ${command.name()}\n\n${bodyOf(command)}`),
    ...groups.map(
      (group) =>
        `## svc ${group.name()}\n\n${group.description()}\n\n${visibleIn(group)
          .map((command) => `### svc ${group.name()} ${command.name()}\n\n${bodyOf(command)}`)
          .join('\n')}`,
    ),
  ].join('\n');
}

function visibleIn(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');
}

function bodyOf(command: Command): string {
  const options = optionLines(command);
  return `${command.description()}\n\n\`\`\`text\n${usageOf(command)}\n${exampleOf(command)}\n\`\`\`\n${options === '' ? '' : `\n${options}\n`}`;
}

function usageOf(command: Command): string {
  const words = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  return `Usage: svc ${words} ${command.usage()}`.replace(/\s+/g, ' ').trim();
}

/** The text that help shows after the options. */
function exampleOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (piece) => (text += piece) });
  command.outputHelp();
  return text.slice(text.indexOf('\nExample:')).trim();
}

function optionLines(command: Command): string {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => `- \`${option.flags}\`: ${aboutOf(option)}`)
    .join('\n');
}

function aboutOf({ description, argChoices: choices }: Option): string {
  const listed = choices ? ` One of ${choices.map((choice) => `\`${choice}\``).join(', ')}.` : '';
  return `${description}${/[.]$/.test(description) || listed === '' ? '' : '.'}${listed}`;
}
