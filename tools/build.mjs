// Compiles every TypeScript file of apps and libs to dist/ with swc; same paths, CommonJS, source maps. The compiler is
// loaded only when there is something to compile.
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { referenceProgram } from './reference.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const minimumFiles = 20;
const lockMs = 300_000;
/** What every compiled file depends on beside its source. */
const commonInputs = ['.swcrc', 'package.json', 'tools/build.mjs', 'node_modules/@swc/core/package.json'];

/**
 * Takes the folder to write to. Gives how many sources it compiled: those that changed since the last build of that
 * folder. Throws when a file does not compile, and has written nothing then, or when next to none are found. A second
 * builder waits for the first and finds its work done.
 */
export async function build(dist = join(root, 'dist')) {
  mkdirSync(dist, { recursive: true });
  const release = lock(dist);
  try {
    return await buildAlone(dist);
  } finally {
    release();
  }
}

/** The system ends the lock with the process, however that ends. */
function lock(dist) {
  const held = new DatabaseSync(join(dist, '.building'), { timeout: lockMs });
  held.exec('BEGIN EXCLUSIVE');
  return () => {
    held.close();
  };
}

/** Whether the last build of the folder is whole and its sources are as they were: a start then needs no compiler. */
export function isBuilt(dist = join(root, 'dist')) {
  const { sources, assets, isStale, stamps } = compared(dist);
  return (
    existsSync(join(dist, 'package.json')) &&
    Object.keys(stampsOf(dist)).length === Object.keys(stamps).length &&
    ![...sources, ...assets].some(isStale)
  );
}

/** The sources and assets of the workspace, and which of them the folder does not hold as they are. */
function compared(dist) {
  const sources = globSync('{apps,libs}/**/src/**/*.ts', {
    cwd: root,
    exclude: (file) => isOfConsole(file) || /\.(spec|d)\.ts$/.test(file),
  });
  if (sources.length < minimumFiles) throw new Error(`only ${sources.length} source files found`);
  const assets = [
    ...globSync('{apps,libs}/**/src/**/*.{html,css,proto,page.js}', { cwd: root, exclude: isOfConsole }),
    ...globSync('contract/**/*.*', { cwd: root }),
    ...(existsSync(join(root, referenceProgram)) ? [referenceProgram] : []),
    ...(isOutside(dist) ? globSync('apps/console/dist/**/*.*', { cwd: root }) : []),
  ];
  const common = commonInputs.map(stampOf).join();
  const stamps = Object.fromEntries([...sources, ...assets].map((file) => [file, `${common} ${stampOf(file)}`]));
  const before = stampsOf(dist);
  const isStale = (file) =>
    before[file] !== stamps[file] || !outputsOf(file).every((output) => existsSync(join(dist, output)));
  return { sources, assets, stamps, isStale };
}

async function buildAlone(dist) {
  const { sources, assets, stamps, isStale } = compared(dist);
  const changed = sources.filter(isStale);
  const made = (await Promise.all([...changed.map(compiled), ...assets.filter(isStale).map(copied)])).flat();
  const kept = new Set(Object.keys(stamps).flatMap(outputsOf));
  const old = globSync('{apps,libs}/**/*.{js,map,html,css,proto}', { cwd: dist }).filter((file) => !kept.has(file));
  const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  made.push(['package.json', JSON.stringify({ name: 'dist', private: true, type: 'commonjs', version })]);
  for (const [path, text] of made) put(join(dist, path), text);
  for (const file of old) rmSync(join(dist, file), { force: true });
  put(join(dist, '.built'), JSON.stringify(stamps)); // last: what a killed build did not finish is done by the next one
  return changed.length;
}

/** Nothing is found above a folder that lies elsewhere: it has all that it serves. */
function isOutside(dist) {
  return relative(root, dist).startsWith('..');
}

/** The console has a build of its own (tools/console.mjs). */
function isOfConsole(path) {
  return /^apps[\\/]console(?:[\\/]|$)/.test(path);
}

/** What changes with the file, without reading it. */
function stampOf(file) {
  const { size, mtimeNs, ino } = statSync(join(root, file), { bigint: true });
  return `${size}.${mtimeNs}.${ino}`;
}

/** Stamps of the last whole build; none when there was none, or when its record cannot be read. */
function stampsOf(dist) {
  try {
    return JSON.parse(readFileSync(join(dist, '.built'), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The contract is there as JSON too, which reads in a few milliseconds where the YAML takes half a second. */
function outputsOf(file) {
  if (file.endsWith('.ts')) return [file.replace(/\.ts$/, '.js'), file.replace(/\.ts$/, '.js.map')];
  if (file === referenceProgram) return [join('reference', basename(file))];
  return file === join('contract', 'openapi.yaml') ? [file, join('contract', 'openapi.json')] : [file];
}

async function compiled(file) {
  const { transformFile } = await import('@swc/core');
  const [path, mapPath] = outputsOf(file);
  const { code, map } = await transformFile(join(root, file), { cwd: root, root, sourceFileName: join(root, file) });
  return [
    [path, `${code}\n//# sourceMappingURL=${basename(path)}.map\n`],
    [mapPath, map ?? ''],
  ];
}

async function copied(file) {
  const bytes = readFileSync(join(root, file));
  const [path, json] = outputsOf(file);
  if (!json) return [[path, bytes]];
  const { parse } = await import('yaml');
  return [
    [path, bytes],
    [json, JSON.stringify(parse(bytes.toString('utf8')))],
  ];
}

/** Whole or not at all; a text that is there already stays, with its time. */
function put(target, content) {
  const bytes = Buffer.from(content);
  if (existsSync(target) && readFileSync(target).equals(bytes)) return;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(`${target}.${process.pid}`, bytes);
  renameSync(`${target}.${process.pid}`, target);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const started = performance.now();
  const count = await build(process.argv[2] === undefined ? undefined : resolve(process.argv[2]));
  console.error(`built ${count} files in ${Math.round(performance.now() - started)} ms`);
}
