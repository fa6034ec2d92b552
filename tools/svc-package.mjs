// Makes apps/svc/dist, the program of the package `agent-service-cli`: one file with our client and all libraries inside,
// so that it installs without a registry, and their licences beside it. `npm pack` in apps/svc runs it first, and so does
// `npm install` of that folder.
import { chmodSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const app = join(root, 'apps', 'svc');
const outfile = join(app, 'dist', 'svc.cjs');
const versionIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
const packageFolder = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

if (versionIn(app) !== versionIn(root))
  throw new Error(`apps/svc/package.json has version ${versionIn(app)}, package.json ${versionIn(root)}`);
rmSync(join(app, 'dist'), { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [join(app, 'src', 'packed.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  metafile: true,
  alias: { '@aos/client': join(root, 'libs', 'client', 'src', 'index.ts') },
  define: { packedVersion: JSON.stringify(versionIn(app)) },
  banner: { js: '#!/usr/bin/env node' },
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
  logLevel: 'warning',
});
chmodSync(outfile, 0o755);
const folders = new Set(Object.keys(metafile.inputs).flatMap((path) => packageFolder.exec(path)?.[0] ?? []));
writeFileSync(join(app, 'dist', 'LICENSES.txt'), [...folders].sort().map(licenceIn).join('\n'));

/** The licence of a package that is inside. Refuses one without its text. */
function licenceIn(folder) {
  const file = readdirSync(join(root, folder)).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no licence`);
  return `${folder.replace(/^.*node_modules\//, '')}\n\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`;
}
