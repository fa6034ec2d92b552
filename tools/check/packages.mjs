// Packages: what is imported is declared, what is declared is used, and what runs in production is no development
// dependency.
const sourcePatterns = ['{apps,libs,tests,tools}/**/*.{ts,mjs,cjs,js}', '*.{mjs,cjs,js}'];
/** Specifiers of imports, whether static, dynamic or by `require`. */
const importedName =
  /(?:\bfrom\s+|\bimport\s+|\bimport\(|\brequire\(|\brequire\.resolve\()['"]((?:@[\w-]+\/)?[a-z][\w.-]*)(?:\/[^'"]*)?['"]/g;
/** Specs of the tools hold imports as examples. */
const example = /^tools\/.*\.spec\.ts$/;
const testFile = /\.(?:spec|contract)\.ts$|\/testing\//;

export const name = 'packages';

export function check(workspace) {
  if (!workspace.has('package.json')) return [];
  const { dependencies = {}, devDependencies = {}, scripts = {} } = JSON.parse(workspace.read('package.json'));
  const sources = sourcePatterns
    .flatMap((pattern) => workspace.glob(pattern))
    .filter((path) => !example.test(path))
    .map((path) => ({ path, text: workspace.read(path) }));
  const imports = sources.flatMap(({ path, text }) => packagesIn(text).map((module) => ({ path, module })));
  const declared = { ...dependencies, ...devDependencies };
  const texts = [...Object.values(scripts), ...sources.map(({ text }) => text)].join('\n');
  const configs = sources.filter(({ path }) => !path.includes('/')).map(({ text }) => text);
  const peers = peersOf(workspace, Object.keys(declared));
  const isUsed = (module) =>
    module.startsWith('@types/') || // ambient: tsconfig.json has no list of them
    peers.has(module) ||
    imports.some((one) => one.module === module) ||
    configs.some((text) => text.includes(`'${module}'`)) ||
    texts.includes(`node_modules/${module}/`) ||
    texts.includes(`'node_modules', '${module}'`);
  return [
    ...imports.flatMap(({ path, module }) => {
      if (!(module in declared))
        return [{ where: path, what: `imports ${module}, which package.json does not declare` }];
      if (module in dependencies || !isProduction(path)) return [];
      return [{ where: path, what: `imports ${module}, a development dependency` }];
    }),
    ...Object.keys(declared)
      .filter((module) => !isUsed(module))
      .map((module) => ({ where: `package.json#${module}`, what: 'is declared and not used' })),
  ];
}

function packagesIn(text) {
  const found = [...text.matchAll(importedName)].map(([, module]) => module);
  return [...new Set(found)].filter((module) => !module.startsWith('@aos/') && !module.startsWith('node:'));
}

function isProduction(path) {
  return /^(?:apps|libs)\//.test(path) && !testFile.test(path);
}

/** Packages that a declared one needs beside it. */
function peersOf(workspace, modules) {
  if (!workspace.has('package-lock.json')) return new Set();
  const { packages } = JSON.parse(workspace.read('package-lock.json'));
  return new Set(
    modules.flatMap((module) => {
      const { peerDependencies = {}, peerDependenciesMeta = {} } = packages[`node_modules/${module}`] ?? {};
      return Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
    }),
  );
}
