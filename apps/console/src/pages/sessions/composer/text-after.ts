/** What stands in a field once `sent` was taken out of it: what was typed while that was on its way. */
export function textAfter(text: string, sent: string): string {
  return text.startsWith(sent) ? text.slice(sent.length).trimStart() : text;
}
