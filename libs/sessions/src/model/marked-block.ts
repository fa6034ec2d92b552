/**
 * The mark before text that is data: it says where the text comes from, and that nothing in it instructs the service.
 */
export interface Mark {
  /** Such as `reminder` or `memory`. */
  tag: 'reminder' | 'memory';
  source: string;
  note: string;
}

/** Beginning of a tag of any marked block, in any spelling that a reader might take for one. */
const opensOrCloses = /<(?=[\s/\\]*(?:reminder|memory)\b)/gi;

/** Text as a marked block that the text cannot end and in which no other one begins (rules R44, R46). */
export function markedBlock({ tag, source, note }: Mark, text: string): string {
  const data = text.replace(opensOrCloses, '&lt;');
  return `<${tag} source="${attribute(source)}" note="${attribute(note)}">\n${data}\n</${tag}>`;
}

function attribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
