// Writes docs/guide/errors.md and docs/guide/limits.md; with --check it only says whether they are what it would write.
// `npm run check` compares them too.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guideTables } from './guide/tables.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (path) => readFileSync(join(root, path), 'utf8');
const { pages, faults } = guideTables({ read, glob: (pattern) => globSync(pattern, { cwd: root }).sort() });

for (const { where, what } of faults) console.error(`${where}: ${what}`);
for (const [path, text] of pages) {
  if (!process.argv.includes('--check')) writeFileSync(join(root, path), text);
  else if (!existsSync(join(root, path)) || read(path) !== text) {
    console.error(`${path} is not what it is made from: node tools/run.mjs tools/guide-tables.mjs`);
    process.exitCode = 1;
  }
}
if (faults.length > 0) process.exitCode = 1;
