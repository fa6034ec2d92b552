/** An option of an operator's command: `--org <org_id>`, or `--verify` where it takes no value. */
export interface OperatorOption {
  name: string;
  /** As the usage shows it, such as `<org_id>`; absent: it is said without a value. */
  value?: string;
  isRequired?: true;
}

/** How an operator's command is called, and what it does. */
export interface OperatorUsage {
  /** One or two words, such as `org create`. */
  name: string;
  /** What stands behind the name, such as `<name>`; absent: nothing. */
  words?: string;
  options?: readonly OperatorOption[];
  summary: string;
}

/** One line, such as `key list [--org <org_id>]`. */
export function usageText({ name, words, options = [] }: OperatorUsage): string {
  return [name, ...(words === undefined ? [] : [words]), ...options.map(optionText)].join(' ');
}

function optionText({ name, value, isRequired }: OperatorOption): string {
  const text = value === undefined ? `--${name}` : `--${name} ${value}`;
  return isRequired ? text : `[${text}]`;
}

/**
 * The first option that none of the usages has. Passed over, a misspelt one would give a key more rights than were
 * meant.
 */
export function unknownOption(
  options: Readonly<Record<string, string>>,
  usages: readonly OperatorUsage[],
): string | undefined {
  const known = new Set(usages.flatMap((usage) => (usage.options ?? []).map(({ name }) => name)));
  return Object.keys(options).find((option) => !known.has(option));
}
