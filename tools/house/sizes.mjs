// Sizes of texts.
import { columnsMax } from '../check/comment-width.mjs';

const linesOf = (text) => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');

/** Lines of all files. */
export const lineCount = (files) => files.reduce((sum, { text }) => sum + linesOf(text).length, 0);

/** Lines wider than 120 columns. */
export const wideLines = (files) =>
  files.reduce((sum, { text }) => sum + linesOf(text).filter((line) => line.length > columnsMax).length, 0);

/** The middle of the files' lengths, the smaller one of two. */
export function medianLines(files) {
  const lengths = files.map((file) => lineCount([file])).sort((a, b) => a - b);
  return lengths[Math.floor((lengths.length - 1) / 2)] ?? 0;
}
