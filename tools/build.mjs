// Compiles every TypeScript file of apps and libs to dist/ with swc; same paths, CommonJS, source maps.
import { transformFile } from '@swc/core';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'yaml';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MINIMUM_FILES = 20;

/** Takes the folder to write to; gives the number of files written; throws when a file does not compile or next to none are found. */
export async function build(dist = join(root, 'dist')) {
  const files = globSync('{apps,libs}/**/src/**/*.ts', { cwd: root, exclude: (file) => /\.(spec|d)\.ts$/.test(file) });
  if (files.length < MINIMUM_FILES) throw new Error(`only ${files.length} source files found`);
  for (const folder of ['apps', 'libs']) rmSync(join(dist, folder), { recursive: true, force: true });
  await Promise.all(files.map(async (file) => {
    const target = join(dist, file.replace(/\.ts$/, '.js'));
    const { code, map } = await transformFile(join(root, file), { cwd: root, root, sourceFileName: join(root, file) });
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${code}\n//# sourceMappingURL=${target.split('/').pop()}.map\n`);
    writeFileSync(`${target}.map`, map ?? '');
  }));
  for (const asset of globSync('{apps,libs}/**/src/**/*.{html,css,proto,page.js}', { cwd: root })) {
    mkdirSync(dirname(join(dist, asset)), { recursive: true });
    cpSync(join(root, asset), join(dist, asset));
  }
  copyContract(dist);
  writeFileSync(join(dist, 'package.json'), JSON.stringify({
    name: 'dist', private: true, type: 'commonjs', version: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
  }));
  return files.length;
}

/** The contract as it is, and as JSON, which reads in a few milliseconds where the YAML takes half a second. */
function copyContract(dist) {
  const yaml = readFileSync(join(root, 'contract', 'openapi.yaml'), 'utf8');
  const copy = join(dist, 'contract', 'openapi.yaml');
  const json = join(dist, 'contract', 'openapi.json');
  if (existsSync(copy) && existsSync(json) && readFileSync(copy, 'utf8') === yaml) return;
  rmSync(json, { force: true });
  cpSync(join(root, 'contract'), join(dist, 'contract'), { recursive: true });
  writeFileSync(`${json}.part`, JSON.stringify(parse(yaml)));
  renameSync(`${json}.part`, json); // a build that is killed here leaves no half document
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const started = performance.now();
  const count = await build(process.argv[2] === undefined ? undefined : resolve(process.argv[2]));
  console.error(`built ${count} files in ${Math.round(performance.now() - started)} ms`);
}
