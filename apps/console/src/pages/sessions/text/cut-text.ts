export interface CutText {
  shown: string;
  /** Characters that are not shown. */
  left: number;
}

/** The beginning of a text, cut between two characters, and at a line break where one is near. */
export function cutText(text: string, max: number): CutText {
  if (text.length <= max) return { shown: text, left: 0 };
  const line = text.lastIndexOf('\n', max);
  let end = line > max * 0.8 ? line : max;
  if (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
  return { shown: text.slice(0, end), left: text.length - end };
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
