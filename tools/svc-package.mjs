// Makes apps/svc/dist, the program of the package `agent-service-cli`: one ES module with our own client inside and the
// packages that apps/svc/package.json declares outside. `npm pack` in apps/svc runs it first.
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const app = join(root, 'apps', 'svc');
const outfile = join(app, 'dist', 'svc.mjs');
const manifest = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8'));
const workspace = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

for (const [name, version] of Object.entries(manifest.dependencies))
  if (workspace.dependencies[name] !== version)
    throw new Error(`apps/svc/package.json has ${name} ${version}, package.json ${workspace.dependencies[name]}`);
if (manifest.version !== workspace.version)
  throw new Error(`apps/svc/package.json has version ${manifest.version}, package.json ${workspace.version}`);

rmSync(join(app, 'dist'), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: [join(app, 'src', 'packed.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: Object.keys(manifest.dependencies),
  define: { packedVersion: JSON.stringify(manifest.version) },
  banner: { js: '#!/usr/bin/env node' },
  alias: { '@aos/client': join(root, 'libs', 'client', 'src', 'index.ts') },
  tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
  logLevel: 'warning',
});
chmodSync(outfile, 0o755);
