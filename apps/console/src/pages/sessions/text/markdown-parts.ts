const fence = /^ {0,3}(`{3,}|~{3,})/;

/**
 * A Markdown text in parts that can be read one by one: paragraphs, and fenced code whole. Only the last part of a text
 * that grows changes.
 */
export function markdownParts(text: string): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let open: string | null = null;
  const close = () => {
    if (part.some((line) => line.trim() !== '')) parts.push(part.join('\n'));
    part = [];
  };
  for (const line of text.split('\n')) {
    const [, mark] = fence.exec(line) ?? [];
    if (open === null && mark !== undefined) open = mark;
    else if (open !== null && mark !== undefined && mark.startsWith(open) && line.trim() === mark) open = null;
    if (open === null && line.trim() === '') close();
    else part.push(line);
  }
  close();
  return parts;
}
