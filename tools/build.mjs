// Compiles every TypeScript file of apps and libs to dist/ with swc; same paths, CommonJS, source maps.
import { transformFile } from '@swc/core';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MINIMUM_FILES = 20;

/** Gives the number of files written; throws when a file does not compile or next to none are found. */
export async function build() {
  const files = globSync('{apps,libs}/**/src/**/*.ts', { cwd: root, exclude: (file) => /\.(spec|d)\.ts$/.test(file) });
  if (files.length < MINIMUM_FILES) throw new Error(`only ${files.length} source files found`);
  for (const folder of ['apps', 'libs']) rmSync(join(root, 'dist', folder), { recursive: true, force: true });
  await Promise.all(files.map(async (file) => {
    const target = join(root, 'dist', file.replace(/\.ts$/, '.js'));
    const { code, map } = await transformFile(join(root, file), { cwd: root, root, sourceFileName: join(root, file) });
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${code}\n//# sourceMappingURL=${target.split('/').pop()}.map\n`);
    writeFileSync(`${target}.map`, map ?? '');
  }));
  for (const asset of globSync('{apps,libs}/**/src/**/*.{html,css,proto}', { cwd: root })) {
    mkdirSync(dirname(join(root, 'dist', asset)), { recursive: true });
    cpSync(join(root, asset), join(root, 'dist', asset));
  }
  cpSync(join(root, 'contract'), join(root, 'dist', 'contract'), { recursive: true });
  writeFileSync(join(root, 'dist', 'package.json'), JSON.stringify({
    name: 'dist', private: true, type: 'commonjs', version: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
  }));
  return files.length;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const started = performance.now();
  const count = await build();
  console.error(`built ${count} files in ${Math.round(performance.now() - started)} ms`);
}
