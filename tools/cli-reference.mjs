// Writes docs/CLI.md from the program's own commands; with --check it only says whether the page is what it would write.
// Builds first.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from './build.mjs';

const root = join(import.meta.dirname, '..');
const page = join(root, 'docs', 'CLI.md');
const headingsMin = 100; // a page made of next to nothing must fail

const dist = join(root, 'dist', 'settings');
await build(dist, { bundled: false });
const { cliReference } = createRequire(import.meta.url)(join(dist, 'apps', 'svc', 'src', 'reference.js'));
const wanted = cliReference();
const headings = wanted.match(/^##+ svc /gm)?.length ?? 0;
if (headings < headingsMin) throw new Error(`only ${headings} commands found`);
if (!process.argv.includes('--check')) writeFileSync(page, wanted);
else if (readFileSync(page, 'utf8') !== wanted) {
  console.error('docs/CLI.md is not what the program says: node tools/run.mjs tools/cli-reference.mjs');
  process.exit(1);
}
