import type { Command, Option } from 'commander';
import { usageComplaint } from '../console/complaint.js';
import type { Io } from '../console/io.js';

const shells = ['bash', 'zsh', 'fish'] as const;
const hints: Readonly<Record<(typeof shells)[number], string>> = {
  bash: 'source <(svc completion bash)',
  zsh: 'source <(svc completion zsh)',
  fish: 'svc completion fish | source',
};

/** What can follow some words: the next words, and the options. */
type Node = { words: string; next: { name: string; about: string }[]; options: string[] };

/** `svc completion <shell>`: a script that completes words and options, made from the commands that are there. */
export function addCompletionCommand(program: Command, io: Io): void {
  program
    .command('completion <shell>')
    .summary('print what completes words in bash, zsh or fish')
    .description('Prints a script for your shell: groups, verbs and options are completed from it, without a request.')
    .addHelpText(
      'after',
      `\nExample:\n${Object.values(hints)
        .map((line) => `  ${line}`)
        .join('\n')}\n`,
    )
    .action((shell: string) => {
      const nodes = nodesOf(program);
      const valued = valuedOptions(program);
      if (shell === 'bash') io.out.write(bashScript(nodes, valued));
      else if (shell === 'zsh') io.out.write(zshScript(nodes, valued));
      else if (shell === 'fish') io.out.write(fishScript(nodes, valued));
      else throw usageComplaint(`there is no completion for ${shell}`, `One of ${shells.join(', ')}`);
    });
}

function nodesOf(command: Command, words = '', inherited: readonly string[] = []): Node[] {
  const help = command.createHelp();
  const options = [...inherited, ...help.visibleOptions(command).map(({ long }) => long ?? '')].filter(Boolean);
  const next = help
    .visibleCommands(command)
    .map((one) => ({ name: one.name(), about: help.subcommandDescription(one) }));
  const below = command.commands
    .filter((one) => next.some(({ name }) => name === one.name()))
    .flatMap((one) => nodesOf(one, `${words} ${one.name()}`.trim(), options));
  return [{ words, next, options: [...new Set(options)] }, ...below];
}

/** Options whose next word is their value, and so is no word of the command. */
function valuedOptions(command: Command): string[] {
  const own = command.options.filter(({ required, optional }) => required || optional).flatMap(flagsOf);
  return [...new Set([...own, ...command.commands.flatMap(valuedOptions)])];
}

function flagsOf({ short, long }: Option): string[] {
  return [short, long].filter((flag) => flag !== undefined);
}

function bashScript(nodes: readonly Node[], valued: readonly string[]): string {
  return `# Completion of svc for bash: ${hints.bash}
_svc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="" word before="" candidates=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) case "$before" in ${valued.join('|')}) ;; *) words="$words $word" ;; esac ;; esac
    before="$word"
  done
  words="\${words# }"
  while :; do
    case "$words" in
${casesOf(nodes, 'candidates')}
    esac
    [ -n "$candidates" ] && break
    case "$words" in *' '*) words="\${words% *}" ;; *) words="" ;; esac
  done
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _svc svc
`;
}

function zshScript(nodes: readonly Node[], valued: readonly string[]): string {
  return `#compdef svc
# Completion of svc for zsh: ${hints.zsh}
_svc() {
  local words_typed="" word before="" candidates=""
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in
      -*) ;;
      *) case "$before" in ${valued.join('|')}) ;; *) words_typed="$words_typed $word" ;; esac ;;
    esac
    before="$word"
  done
  words_typed="\${words_typed# }"
  while :; do
    case "$words_typed" in
${casesOf(nodes, 'candidates')}
    esac
    [ -n "$candidates" ] && break
    case "$words_typed" in *' '*) words_typed="\${words_typed% *}" ;; *) words_typed="" ;; esac
  done
  compadd -- \${=candidates}
}
compdef _svc svc
`;
}

function casesOf(nodes: readonly Node[], variable: string): string {
  return nodes
    .map(
      ({ words, next, options }) =>
        `      '${words}') ${variable}='${[...next.map(({ name }) => name), ...options].join(' ')}' ;;`,
    )
    .join('\n');
}

function fishScript(nodes: readonly Node[], valued: readonly string[]): string {
  const lines = nodes.flatMap(({ words, next, options }) => {
    const condition = `__svc_words_are "${words}"`;
    return [
      ...next.map(
        ({ name, about }) => `complete -c svc -f -n '${condition}' -a '${name}' -d '${about.replaceAll("'", '')}'`,
      ),
      ...options.map((option) => `complete -c svc -n '${condition}' -l '${option.slice(2)}'`),
    ];
  });
  return `# Completion of svc for fish: ${hints.fish}
function __svc_words_are
  set -l typed
  set -l before ''
  for word in (commandline -opc)[2..-1]
    if not string match -q -- '-*' $word; and not contains -- $before ${valued.join(' ')}
      set -a typed $word
    end
    set before $word
  end
  test (string join ' ' -- $typed) = $argv[1]
end
${lines.join('\n')}
`;
}
