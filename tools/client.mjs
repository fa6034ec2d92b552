// Builds the package of libs/client into its dist: one file of JavaScript with what it needs inside, types beside it, and
// the licences of what is inside. node tools/run.mjs tools/client.mjs
import { existsSync, globSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'libs', 'client');
const bundled = ['openapi-fetch', 'eventsource-parser'];
/** The compiler declares a method of a computed name a second time, as a property. */
const twiceSaid = /^ *\[Symbol\.asyncIterator\]: \(\) => .*\n/gm;
/** Of what a browser has since 2023 and Node since 20. */
const target = 'es2022';

/** Gives the folder that it wrote. Throws when a source does not compile, and leaves the build before as it was. */
export async function buildClient() {
  const dist = join(folder, 'dist');
  const [made, old] = ['new', 'old'].map((name) => join(folder, 'dist', `.${name}-${process.pid}`));
  mkdirSync(made, { recursive: true });
  try {
    await Promise.all([bundle(made), declarations(join(made, 'types'))]);
    writeFileSync(join(made, 'LICENSES.txt'), bundled.map(licenceOf).join('\n'));
    if (existsSync(join(dist, 'types'))) renameSync(join(dist, 'types'), old);
    for (const name of readdirSync(made)) renameSync(join(made, name), join(dist, name));
  } finally {
    for (const left of [made, old]) rmSync(left, { recursive: true, force: true });
  }
  return dist;
}

async function bundle(made) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(folder, 'src', 'index.ts')],
    outfile: join(made, 'index.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target,
    minify: true,
    lineLimit: 200, // Node shows the line that an error comes from
    sourcemap: true,
    sourcesContent: true,
    legalComments: 'none',
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
    logLevel: 'warning',
  });
}

/** Each source's declarations by itself: exported things say their types. */
async function declarations(types) {
  const { default: ts } = await import('typescript');
  mkdirSync(types, { recursive: true });
  for (const file of globSync('src/!(*.spec).ts', { cwd: folder })) {
    const text = readFileSync(join(folder, file), 'utf8');
    const name = file.slice('src/'.length);
    if (name.endsWith('.d.ts')) {
      writeFileSync(join(types, name), text);
      continue;
    }
    const { outputText, diagnostics } = ts.transpileDeclaration(text, {
      fileName: name,
      reportDiagnostics: true,
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, isolatedDeclarations: true },
    });
    const [fault] = diagnostics ?? [];
    if (fault) throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(fault.messageText, '\n')}`);
    writeFileSync(join(types, name.replace(/\.ts$/, '.d.ts')), outputText.replace(twiceSaid, ''));
  }
}

function licenceOf(module) {
  const { name, version } = JSON.parse(readFileSync(join(root, 'node_modules', module, 'package.json'), 'utf8'));
  return `${name} ${version}\n\n${readFileSync(join(root, 'node_modules', module, 'LICENSE'), 'utf8')}`;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const started = performance.now();
  await buildClient();
  console.error(`built the client in ${Math.round(performance.now() - started)} ms`);
}
