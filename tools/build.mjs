// Compiles every TypeScript file of apps and libs to dist/ with swc; same paths, CommonJS, source maps. What a service
// runs is one file, made of the same sources as ES modules (dist/modules, ADR 76). The compilers are loaded only when
// there is something to compile.
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { referenceProgram } from './reference.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const minimumFiles = 20;
const lockMs = 300_000;
/** What every compiled file depends on beside its source. */
const commonInputs = [
  '.swcrc',
  'package.json',
  'tools/build.mjs',
  'node_modules/@swc/core/package.json',
  'node_modules/esbuild/package.json',
];
/** All that one process runs, and all that a fleet does, in one file each. `svc` loads the files that a command needs. */
const programs = ['embedded-program', 'fleet-programs'].map((name) => `libs/composition/src/${name}.ts`);

/**
 * Takes the folder to write to, and whether a service runs one file there (else a file for each source). Gives how many
 * sources it compiled: those that changed since the last build of that folder. Throws when a file does not compile, and
 * has written nothing then, or when next to none are found. A second builder waits for the first and finds its work
 * done.
 */
export async function build(dist = join(root, 'dist'), { bundled = true } = {}) {
  mkdirSync(dist, { recursive: true });
  const release = lock(dist);
  try {
    return await buildAlone(dist, bundled);
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
  const { sources, assets, isStale, stamps } = compared(dist, true);
  return (
    existsSync(join(dist, 'package.json')) &&
    Object.keys(stampsOf(dist)).length === Object.keys(stamps).length &&
    ![...sources, ...assets].some(isStale)
  );
}

/** The sources and assets of the workspace, and which of them the folder does not hold as they are. */
function compared(dist, bundled) {
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
  const common = [bundled, ...commonInputs.map(stampOf)].join();
  const stamps = Object.fromEntries([...sources, ...assets].map((file) => [file, `${common} ${stampOf(file)}`]));
  const before = stampsOf(dist);
  const outputsHere = (file) => [
    ...outputsOf(file),
    ...(bundled && file.endsWith('.ts') ? [join(modules, compiledName(file))] : []),
  ];
  const isStale = (file) =>
    before[file] !== stamps[file] || !outputsHere(file).every((output) => existsSync(join(dist, output)));
  const hasLess = Object.keys(before).some((file) => !(file in stamps));
  return { sources, assets, stamps, outputsHere, isStale, hasLess };
}

async function buildAlone(dist, bundled) {
  const { sources, assets, stamps, outputsHere, isStale, hasLess } = compared(dist, bundled);
  const changed = sources.filter(isStale);
  const compile = async (file) => [
    ...(bundled && programs.includes(file) ? [] : await compiled(file)),
    ...(bundled ? await asModule(file) : []),
  ];
  const made = (await Promise.all([...changed.map(compile), ...assets.filter(isStale).map(copied)])).flat();
  const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  made.push(['package.json', JSON.stringify({ name: 'dist', private: true, type: 'commonjs', version })]);
  const kept = new Set(Object.keys(stamps).flatMap(outputsHere));
  if (bundled && (changed.length > 0 || hasLess)) made.push(...(await bundle(dist, kept, made)));
  for (const [path, text] of made) put(join(dist, path), text);
  const old = globSync('{apps,libs,modules}/**/*.{js,map,html,css,proto}', { cwd: dist });
  for (const file of old) if (!kept.has(file)) rmSync(join(dist, file), { force: true });
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

/** Where the folder keeps sources as ES modules. */
const modules = 'modules';
const compiledName = (file) => file.replace(/\.ts$/, '.js');

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
  if (file.endsWith('.ts')) return [compiledName(file), `${compiledName(file)}.map`];
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

/** The file as an ES module, whose `__filename` is the path that the file has in the build. */
async function asModule(file) {
  const { transformFile } = await import('@swc/core');
  const { code } = await transformFile(join(root, file), {
    cwd: root,
    root,
    sourceFileName: join(root, file),
    module: { type: 'es6', resolveFully: true },
    sourceMaps: 'inline',
    inlineSourcesContent: false,
  });
  const path = JSON.stringify(`/${compiledName(file)}`);
  const placed = code
    .replaceAll(/\b__filename\b/g, `(buildFolder + ${path})`)
    .replaceAll(/\b__dirname\b/g, `(buildFolder + ${JSON.stringify(`/${dirname(file)}`)})`);
  return [[join(modules, compiledName(file)), placed]];
}

/**
 * What services run with all of our code that it loads, in one file; packages stay outside. Functions then call each
 * other without the objects of modules between them. `kept`: the files that the build has, of which `made` are not
 * written yet.
 */
async function bundle(dist, kept, made) {
  const esbuild = await import('esbuild');
  const { outputFiles } = await esbuild.build({
    absWorkingDir: dist,
    entryPoints: programs.map((file) => join(dist, modules, compiledName(file))),
    outbase: join(dist, modules),
    outdir: dist,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: `const buildFolder = require('node:path').resolve(__dirname, '../../..');` },
    logLevel: 'silent',
    plugins: [ownCode(dist, kept, new Map(made))],
  });
  const finished = outputFiles.map(async ({ path, text }) => [
    relative(dist, path),
    path.endsWith('.map') ? await linesOnly(text) : text,
  ]);
  return Promise.all(finished);
}

/** A map of lines, not of each name in them: Node reads the whole map at the first stack of a process. */
async function linesOnly(text) {
  const { decode, encode } = await import('@jridgewell/sourcemap-codec');
  const map = JSON.parse(text);
  const firsts = decode(map.mappings).map((segments) => segments.slice(0, 1).map((segment) => segment.slice(0, 4)));
  return JSON.stringify({ ...map, names: [], mappings: encode(firsts) });
}

/** Gives the bundler our own code only: what is not written yet, and what is there of sources that still are. */
function ownCode(dist, kept, fresh) {
  return {
    name: 'own-code',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path, resolveDir, kind }) => {
        const isOurs = path.startsWith('.') || kind === 'entry-point';
        return isOurs ? { path: resolve(resolveDir, path) } : { path, external: true };
      });
      onLoad({ filter: /./ }, ({ path }) => {
        const file = relative(dist, path);
        if (!kept.has(file)) return { errors: [{ text: `${file} has no source` }] };
        return fresh.has(file) ? { contents: fresh.get(file) } : undefined;
      });
    },
  };
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
  const [folder] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const count = await build(folder && resolve(folder), { bundled: !process.argv.includes('--unbundled') });
  console.error(`built ${count} files in ${Math.round(performance.now() - started)} ms`);
}
