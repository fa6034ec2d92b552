// Packages: what is imported is declared, what is declared is used, and what runs in production is no development
// dependency.
const sourcePatterns = ['{apps,examples,libs,tests,tools}/**/*.{ts,tsx,css,mjs,cjs,js,jsx}', '*.{mjs,cjs,js}'];
/** Built at install: what it imports is in its build, and the service needs none of it. */
const isBundled = (path) => path.startsWith('apps/console/');
/** Specifiers of imports, whether static, dynamic or by `require`. */
const importedName =
  /(?:\bfrom\s+|\bimport\s+|\bimport\(|\brequire\(|\brequire\.resolve\()['"]((?:@[\w-]+\/)?[a-z][\w.-]*)(?:\/[^'"]*)?['"]/g;
/** Specs of the tools hold imports as examples. */
const example = /^tools\/.*\.spec\.ts$/;
const testFile = /\.(?:spec|contract)\.ts$|\/testing\//;

export const name = 'packages';

export function check(workspace) {
  if (!workspace.has('package.json')) return [];
  const json = (path) => (workspace.has(path) ? JSON.parse(workspace.read(path)) : null);
  const manifest = json('package.json');
  const own = workspace.glob('libs/*/package.json').map((path) => json(path).name);
  const sources = sourcePatterns
    .flatMap((pattern) => workspace.glob(pattern))
    .map((path) => ({ path, text: workspace.read(path) }));
  return [
    ...undeclared(manifest, sources, own),
    ...unusedPackages(manifest, json('package-lock.json'), sources).map((module) => ({
      where: `package.json#${module}`,
      what: 'is declared and not used',
    })),
  ];
}

/** `own`: packages that the workspace itself gives; its tests use them as they are packed. */
function undeclared({ dependencies = {}, devDependencies = {} }, sources, own) {
  return importsOf(sources).flatMap(({ path, module }) => {
    if (own.includes(module) && !isProduction(path)) return [];
    if (!(module in dependencies) && !(module in devDependencies))
      return [{ where: path, what: `imports ${module}, which package.json does not declare` }];
    if (module in dependencies || !isProduction(path)) return [];
    return [{ where: path, what: `imports ${module}, a development dependency` }];
  });
}

/**
 * Takes package.json, the lock file (or null) and the sources as `{ path, text }`. Gives the declared packages that no
 * source imports, no configuration names and no script starts; peers of declared packages are left out.
 */
export function unusedPackages({ dependencies = {}, devDependencies = {}, scripts = {} }, lock, sources) {
  const declared = Object.keys({ ...dependencies, ...devDependencies });
  const imported = new Set(importsOf(sources).map(({ module }) => module));
  const read = sources.filter(({ path }) => !example.test(path));
  const texts = [...Object.values(scripts), ...read.map(({ text }) => text)].join('\n');
  const configs = read.filter(({ path }) => !path.includes('/')).map(({ text }) => text);
  const peers = peersOf(lock, declared);
  const isUsed = (module) =>
    module.startsWith('@types/') || // ambient: tsconfig.json has no list of them
    peers.has(module) ||
    imported.has(module) ||
    configs.some((text) => text.includes(`'${module}'`)) ||
    texts.includes(`node_modules/${module}/`) ||
    texts.includes(`'node_modules', '${module}'`);
  return declared.filter((module) => !isUsed(module));
}

/** Imports of packages as `{ path, module }`. */
function importsOf(sources) {
  return sources
    .filter(({ path }) => !example.test(path))
    .flatMap(({ path, text }) => packagesIn(text).map((module) => ({ path, module })));
}

function packagesIn(text) {
  const found = [...text.matchAll(importedName)].map(([, module]) => module);
  return [...new Set(found)].filter((module) => !module.startsWith('@aos/') && !module.startsWith('node:'));
}

function isProduction(path) {
  return /^(?:apps|libs)\//.test(path) && !testFile.test(path) && !isBundled(path);
}

/** Packages that a declared one needs beside it. */
function peersOf(lock, modules) {
  const peersByModule = modules.map((module) => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = lock?.packages[`node_modules/${module}`] ?? {};
    return Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
  });
  return new Set(peersByModule.flat());
}
