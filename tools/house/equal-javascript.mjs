// Shows that two versions of the sources mean the same: the JavaScript that swc emits without layout and comments is
// equal, file by file. It proves commits of format and comments (docs/HACKING.md). node
// tools/house/equal-javascript.mjs <git ref> [folder]
import { transformSync } from '@swc/core';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sources = /^(apps|libs|tests|tools)\/.*\.(ts|mjs|cjs|js)$/;

/**
 * Takes a path and its text; gives the emitted JavaScript without layout and comments. Refuses text that does not
 * parse.
 */
export function emitted(path, text) {
  const typescript = path.endsWith('.ts');
  const { code } = transformSync(text, {
    filename: path,
    swcrc: false,
    configFile: false,
    minify: true,
    jsc: {
      target: 'es2023',
      parser: typescript ? { syntax: 'typescript', decorators: true } : { syntax: 'ecmascript' },
      transform: typescript
        ? { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false }
        : undefined,
      keepClassNames: true,
      minify: { compress: false, mangle: false, format: { comments: false } },
    },
  });
  return code;
}

/** Takes two lists of `{ path, text }`; gives the paths whose emitted JavaScript differs or that only one list has. */
export function differences(before, after) {
  const then = new Map(before.map(({ path, text }) => [path, text]));
  const now = new Map(after.map(({ path, text }) => [path, text]));
  const paths = [...new Set([...then.keys(), ...now.keys()])].sort();
  return paths.filter((path) => {
    if (!then.has(path) || !now.has(path)) return true;
    return then.get(path) !== now.get(path) && emitted(path, then.get(path)) !== emitted(path, now.get(path));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [ref, folder = dirname(dirname(dirname(fileURLToPath(import.meta.url))))] = process.argv.slice(2);
  if (!ref) throw new Error('usage: equal-javascript.mjs <git ref> [folder]');
  const git = (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8', maxBuffer: 512 * 1024 * 1024 });
  const listed = (text) => text.split('\n').filter((path) => sources.test(path));
  const before = listed(git('ls-tree', '-r', '--name-only', ref)).map((path) => ({
    path,
    text: git('show', `${ref}:${path}`),
  }));
  const after = listed(git('ls-files')).map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
  const changed = differences(before, after);
  for (const path of changed) console.error(`${path}: its JavaScript differs`);
  console.log(`${after.length} files, ${changed.length} differ from ${ref}`);
  process.exit(changed.length > 0 ? 1 : 0);
}
