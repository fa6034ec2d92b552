/** What was typed, taken apart. */
export interface Typed {
  words: string[];
  options: Record<string, string>;
  wantsHelp: boolean;
}

/** Text that cannot be a command line. */
export class BadUsage extends Error {}

/**
 * `--name value` and `--name=value` are options, `--help` and `-h` ask for help, `--` ends the options, the rest are
 * words. Options of `switches` have no value.
 */
export function parseArguments(argv: readonly string[], switches: ReadonlySet<string>): Typed {
  const typed: Typed = { words: [], options: {}, wantsHelp: false };
  for (let index = 0; index < argv.length; index += 1) {
    const text = argv[index] ?? '';
    if (text === '--') {
      typed.words.push(...argv.slice(index + 1));
      break;
    }
    if (text === '--help' || text === '-h') typed.wantsHelp = true;
    else if (/^-[^-]/.test(text)) throw new BadUsage(`${text} is no option: options begin with --`);
    else if (!text.startsWith('--')) typed.words.push(text);
    else {
      const [name = '', ...rest] = text.slice(2).split('=');
      if (rest.length === 0 && switches.has(name)) {
        typed.options[name] = 'on';
        continue;
      }
      const value = rest.length > 0 ? rest.join('=') : argv[(index += 1)];
      if (name === '' || value === undefined) throw new BadUsage(`${text} takes a value`);
      typed.options[name] = value;
    }
  }
  return typed;
}
