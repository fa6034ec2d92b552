// The shell blocks of a page and what they print.

/**
 * Takes Markdown; gives its shell blocks, each with the text block that follows it before the next shell block. A block
 * of `sh terminal` keeps running in a terminal of its own; one of `bash` is only shown, and so is what it prints.
 */
export function blocksOf(markdown) {
  const blocks = [];
  let last = null;
  for (const [, language, where, body] of markdown.matchAll(/^```(\w+)(?: (\w+))?\n([\s\S]*?)^```$/gm)) {
    if (language === 'sh') {
      last = { command: body.trimEnd(), printed: null, ...(where === 'terminal' && { keepsRunning: true }) };
      blocks.push(last);
    } else if (language === 'bash') last = null;
    else if (language === 'text' && last) last.printed ??= body.trimEnd();
  }
  return blocks;
}

/** Gives the first printed line that is not in the output, in order; null when all are there. */
export function missingLine(printed, output) {
  const lines = output.split('\n').map(likened);
  let at = 0;
  for (const line of printed.split('\n').filter((text) => text.trim() !== '')) {
    const pattern = new RegExp(
      `^${likened(line)
        .split('…')
        .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
    );
    while (at < lines.length && !pattern.test(lines[at])) at += 1;
    if (at === lines.length) return line;
    at += 1;
  }
  return null;
}

/** Ids, times and ports are whatever they are. */
function likened(line) {
  return line
    .trimEnd()
    .replace(/\b([a-z]+)_[0-9a-z]{20,}\b/g, '$1_ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT');
}

/** Throws when a printed line is not in the output; what is null is not compared. */
export function compare(command, expected, output) {
  const missing = expected === null || output === null ? null : missingLine(expected, output);
  if (missing !== null) throw new Error(`not printed: ${missing}\nby:\n${command}\nwhich printed:\n${output}`);
}
