// Which functions of compiled files ran, by the precise coverage of V8.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Functions that the compiler adds: they run when a file is loaded or a name of it imported. */
const added = /^_(?:export|ts_|interop_|define_property)/;
const exportGetter = /^(?:get [\w$]+|function)\s*\(\)\s*\{\s*return (?!this\b)[\w$.]+;\s*\}$/;

/**
 * Takes    the result of `Profiler.takePreciseCoverage`, the folder of the compiled files, and a function from a path
 *          in that folder to its text.
 * Gives    the functions that ran: `<source path>@<offset>` to how often. The code of a module itself does not count.
 */
export function ranFunctions(result, folder, textOf) {
  const ran = new Map();
  for (const { url, functions } of result) {
    const path = pathIn(folder, url);
    if (path === null) continue;
    for (const { functionName, ranges } of functions) {
      const [{ startOffset, endOffset, count }] = ranges;
      if (count === 0 || added.test(functionName)) continue;
      const text = textOf(path);
      if (isModule(startOffset, endOffset, text) || exportGetter.test(text.slice(startOffset, endOffset))) continue;
      ran.set(`${path.replace(/\.js$/, '.ts')}@${startOffset}`, count);
    }
  }
  return ran;
}

const isModule = (start, end, text) => start === 0 && end >= text.length;

function pathIn(folder, url) {
  if (!url.startsWith('file:') && !url.startsWith('/')) return null;
  const path = relative(folder, url.startsWith('file:') ? fileURLToPath(url) : url);
  return /^(apps|libs)\/.*\.js$/.test(path) ? path : null;
}

/** Takes functions that ran and those that run while nothing is asked. Gives the files of the others, in order. */
export function filesOf(functions, idle) {
  const files = [...functions].filter((name) => !idle.has(name)).map((name) => name.slice(0, name.lastIndexOf('@')));
  return [...new Set(files)].sort();
}
