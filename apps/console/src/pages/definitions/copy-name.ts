/** A name for a copy, of at most so many characters. */
export function copyName(name: string, max: number, end = '-copy'): string {
  return `${name.slice(0, max - end.length)}${end}`;
}
