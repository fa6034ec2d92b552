/**
 * A text without the spaces and tabs at its beginning and its end, as HTTP strips them from a header. In one pass: a
 * pattern for those at the end tries each row of blanks in the text again and again.
 */
export function withoutBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text, from)) from += 1;
  while (to > from && isBlank(text, to - 1)) to -= 1;
  return text.slice(from, to);
}

function isBlank(text: string, at: number): boolean {
  return text[at] === ' ' || text[at] === '\t';
}
