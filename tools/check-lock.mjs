// Every package is fetched from somewhere, or lies within the package above it (`inBundle`). Every optional dependency that a
// locked package names must be locked too: newer npm refuses `npm ci` otherwise.
import { readFileSync } from 'node:fs';

const minimumPackages = 100; // a check that sees next to nothing must fail
let missing = 0;
for (const file of ['package-lock.json', 'tools/runtime/package-lock.json']) {
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  const paths = Object.keys(packages);
  if (file === 'package-lock.json' && paths.length < minimumPackages) {
    console.error(`${file}: only ${paths.length} packages seen`);
    process.exit(1);
  }
  for (const [path, entry] of Object.entries(packages)) {
    if (path && !entry.link && !entry.inBundle && !entry.resolved) {
      console.error(`${file}: ${path} has no "resolved"`);
      missing += 1;
    }
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      let folder = path;
      let found = false;
      for (;;) {
        if (packages[`${folder ? `${folder}/` : ''}node_modules/${name}`]) {
          found = true;
          break;
        }
        if (!folder) break;
        const cut = folder.lastIndexOf('/node_modules/');
        folder = cut < 0 ? '' : folder.slice(0, cut);
      }
      if (!found) {
        console.error(`${file}: ${path || 'the root'} needs ${name}, which is not locked`);
        missing += 1;
      }
    }
  }
}
if (missing > 0) process.exit(1);
console.log('lock file complete');
