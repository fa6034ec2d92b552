// Builds the console (apps/console) into apps/console/dist, if its sources changed: index.html, assets/, manifest.json, and
// interactions.html, which is a page by itself.
// node tools/run.mjs tools/console.mjs [--force]; with --dev it serves the sources with hot reload instead, and hands
// API calls to SVC_URL (http://127.0.0.1:8080 when left out).
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join, dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { contractPlugin } from './console/contract-plugin.mjs';
import { entryPolicy, headOf } from './console/head.mjs';
import { interactionsPage } from './console/interactions.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'apps', 'console');
const dist = join(folder, 'dist');
const types = { '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' };
/** Everything that the build reads beside the packages, which package-lock.json stands for. */
const inputs = [
  'apps/console/{*.html,src/**/*.{ts,tsx,css,svg}}',
  'libs/client/src/*.ts',
  'contract/openapi.yaml',
  'tools/console.mjs',
  'tools/console/*.mjs',
  'package-lock.json',
];

/** Gives whether it built. Throws when a source does not build, and leaves the build before as it was. */
export async function buildConsole({ force = false } = {}) {
  const stamp = stampOfSources();
  if (!force && builtFrom() === stamp) return false;
  const made = join(folder, `.made-${process.pid}`);
  const alone = `${made}-alone`;
  try {
    const { build } = await import('vite');
    await build({ ...(await config()), build: { ...buildOptions, outDir: made } });
    const options = { ...buildOptions, emptyOutDir: false };
    const alonePage = await interactionsPage({ build, config: await config(), options, folder, into: alone });
    writeFileSync(join(made, 'interactions.html'), alonePage);
    const page = headOf(readFileSync(join(made, 'index.html'), 'utf8'), (file) => readFileSync(join(made, file)));
    writeFileSync(join(made, 'index.html'), page.html);
    const manifest = { scripts: page.scripts, trustedTypes: [entryPolicy], assets: assetsIn(made), builtFrom: stamp };
    writeFileSync(join(made, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    replace(made);
  } finally {
    for (const each of [made, alone]) rmSync(each, { recursive: true, force: true });
  }
  return true;
}

/** Swaps the finished build in; a service that reads it in between finds one of the two. */
function replace(made) {
  const old = join(folder, `.old-${process.pid}`);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(made, dist);
  rmSync(old, { recursive: true, force: true });
}

const buildOptions = {
  target: 'es2022',
  assetsDir: 'assets',
  cssCodeSplit: false,
  modulePreload: { polyfill: false },
  sourcemap: false,
  emptyOutDir: true,
  reportCompressedSize: false,
  chunkSizeWarningLimit: 1500,
};

async function config() {
  const [{ default: react }, { default: tailwind }] = await Promise.all([
    import('@vitejs/plugin-react'),
    import('@tailwindcss/vite'),
  ]);
  return {
    root: folder,
    base: '/console/',
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    cacheDir: join(root, '.cache', 'vite'),
    resolve: {
      alias: {
        '@aos/client': join(root, 'libs', 'client', 'src', 'index.ts'),
        // Its form for browsers sets innerHTML, which the page's policy refuses.
        'decode-named-character-reference': join(root, 'node_modules', 'decode-named-character-reference', 'index.js'),
      },
    },
    plugins: [react(), tailwind(), contractPlugin(join(root, 'contract', 'openapi.yaml'))],
  };
}

/** Each file with its type and how many bytes it has for a browser, at the best compression. */
function assetsIn(made) {
  const names = readdirSync(join(made, 'assets')).sort();
  return Object.fromEntries(
    names.map((name) => [
      `assets/${name}`,
      { type: typeOf(name), gzip: gzipSync(readFileSync(join(made, 'assets', name)), { level: 9 }).length },
    ]),
  );
}

function typeOf(name) {
  const type = types[extname(name)];
  if (type === undefined) throw new Error(`assets/${name}: a file of this kind is not served`);
  return type;
}

function stampOfSources() {
  const digest = createHash('sha256');
  for (const file of inputs.flatMap((pattern) => globSync(pattern, { cwd: root })).sort())
    digest.update(
      `${file}\0${createHash('sha256')
        .update(readFileSync(join(root, file)))
        .digest('hex')}\n`,
    );
  return digest.digest('hex');
}

/** The sources of the build that is there; none when it is not there or not whole. */
function builtFrom() {
  const file = join(dist, 'manifest.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).builtFrom : undefined;
}

async function serveSources() {
  const { createServer } = await import('vite');
  const target = process.env.SVC_URL ?? 'http://127.0.0.1:8080';
  const proxy = Object.fromEntries(
    ['/v1', '/openapi.json', '/docs'].map((path) => [path, { target, ws: path === '/v1' }]),
  );
  const server = await createServer({ ...(await config()), server: { proxy, host: '127.0.0.1' } });
  await server.listen();
  server.printUrls();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes('--dev')) await serveSources();
  else {
    const started = performance.now();
    const built = await buildConsole({ force: process.argv.includes('--force') });
    console.error(
      built ? `built the console in ${Math.round(performance.now() - started)} ms` : 'the console is built',
    );
  }
}
