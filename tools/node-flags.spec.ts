import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');
/** Wherever services are started, and measured. */
const places = ['package.json', 'docker/Dockerfile', 'tools/fleet/processes.mjs', 'tools/bench/processes.mjs'];

test('services run with one size of young generation, wherever they are started', () => {
  const flags = places.map((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/--(?:min|max)-semi-space-size=\d+/g)].map(([flag]) => flag),
  );
  for (const found of flags)
    expect(new Set(found)).toEqual(new Set(['--min-semi-space-size=16', '--max-semi-space-size=32']));
});
