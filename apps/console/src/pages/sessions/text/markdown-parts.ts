const fence = /^ {0,3}(`{3,}|~{3,})/;
/** A line that may go on with the list or the quote before it. */
const goesOn = /^[\s\d*+->]/;

/**
 * A Markdown text in parts that can be read one by one: what blank lines divide, but lists and fenced code whole. Of a
 * text that grows the last parts alone change.
 */
export function markdownParts(text: string): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let open: string | null = null;
  let isAfterBlank = false;
  for (const line of text.split('\n')) {
    const isBlank = line.trim() === '';
    if (open === null && isAfterBlank && !isBlank && !goesOn.test(line)) {
      parts.push(part.join('\n').trimEnd());
      part = [];
    }
    const [, mark] = fence.exec(line) ?? [];
    if (open === null && mark !== undefined) open = mark;
    else if (open !== null && mark !== undefined && mark.startsWith(open) && line.trim() === mark) open = null;
    isAfterBlank = isBlank && part.length > 0;
    if (part.length > 0 || !isBlank) part.push(line);
  }
  const last = part.join('\n').trimEnd();
  return last === '' ? parts : [...parts, last];
}
