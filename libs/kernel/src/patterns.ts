/** Whether a dotted name fits a pattern: the name itself, or a prefix that ends at a dot and `*`. */
export function fits(name: string, pattern: string): boolean {
  return pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Whether a dotted name is asked for by one of the patterns; none ask for all. */
export function isAsked(name: string, asked: readonly string[]): boolean {
  return asked.length === 0 || asked.some((pattern) => fits(name, pattern));
}
