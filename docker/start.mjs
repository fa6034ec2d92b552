// Runs one of the programs of this image: node start.mjs <program> [arguments]; without arguments SVC_APP names it.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const programs = join(import.meta.dirname, 'dist', 'apps');
const [program = process.env.SVC_APP, ...args] = process.argv.slice(2);
if (program === 'prepare') {
  await import('./prepare.mjs');
} else {
  const main = join(programs, program ?? '', 'src', 'main.js');
  if (!/^[a-z-]+$/.test(program ?? '') || !existsSync(main)) {
    console.error(`no program ${program ?? '(none named)'}; there are: prepare ${readdirSync(programs).join(' ')}`);
    process.exit(64);
  }
  process.argv.splice(1, process.argv.length - 1, main, ...args);
  await import(pathToFileURL(main).href);
}
