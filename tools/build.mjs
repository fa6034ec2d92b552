// Compiles every TypeScript file of apps and libs to dist/ with swc; same paths, CommonJS, source maps.
import { transformFile } from '@swc/core';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'yaml';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MINIMUM_FILES = 20;

/** Takes the folder to write to; gives the number of files written; throws when a file does not compile or next to none are found. */
export async function build(dist = join(root, 'dist')) {
  const files = globSync('{apps,libs}/**/src/**/*.ts', { cwd: root, exclude: (file) => /\.(spec|d)\.ts$/.test(file) });
  if (files.length < MINIMUM_FILES) throw new Error(`only ${files.length} source files found`);
  const kept = new Set();
  const put = (path, text) => {
    const target = join(dist, path);
    kept.add(path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(`${target}.${process.pid}`, text);
    renameSync(`${target}.${process.pid}`, target); // a program that starts meanwhile reads the old file or the new one
  };
  await Promise.all(files.map(async (file) => {
    const path = file.replace(/\.ts$/, '.js');
    const { code, map } = await transformFile(join(root, file), { cwd: root, root, sourceFileName: join(root, file) });
    put(path, `${code}\n//# sourceMappingURL=${basename(path)}.map\n`);
    put(`${path}.map`, map ?? '');
  }));
  for (const asset of globSync('{apps,libs}/**/src/**/*.{html,css,proto,page.js}', { cwd: root })) put(asset, readFileSync(join(root, asset)));
  for (const old of globSync('{apps,libs}/**/*.{js,map,html,css,proto}', { cwd: dist })) if (!kept.has(old)) rmSync(join(dist, old), { force: true });
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
  writeFileSync(`${json}.${process.pid}`, JSON.stringify(parse(yaml)));
  renameSync(`${json}.${process.pid}`, json); // a build that is killed here leaves no half document
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const started = performance.now();
  const count = await build(process.argv[2] === undefined ? undefined : resolve(process.argv[2]));
  console.error(`built ${count} files in ${Math.round(performance.now() - started)} ms`);
}
