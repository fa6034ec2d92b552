// Checks the format, then lints everything in one process. The module-boundary rule needs Nx's project graph and skips
// itself without one, so that is made and looked at first.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const projectsMin = 20;
const edgesMin = 30;

const env = { ...process.env, NX_DAEMON: 'false' };
const run = (args, stdio) => spawnSync(process.execPath, args, { cwd: root, env, stdio }).status;

if (run([join(root, 'node_modules/nx/dist/bin/nx.js'), 'show', 'projects'], ['ignore', 'ignore', 'inherit']) !== 0)
  process.exit(1);
const graph = JSON.parse(readFileSync(join(root, '.nx/workspace-data/project-graph.json'), 'utf8'));
const projects = Object.keys(graph.nodes).length;
const edges = Object.values(graph.dependencies)
  .flat()
  .filter(({ target }) => !target.startsWith('npm:')).length;
if (projects < projectsMin || edges < edgesMin) {
  console.error(`the project graph has only ${projects} projects and ${edges} edges: boundaries would go unchecked`);
  process.exit(1);
}
const paths = process.argv.slice(2);
const formatted = run(
  [
    join(root, 'node_modules/prettier/bin/prettier.cjs'),
    '--check',
    '--log-level',
    'warn',
    ...(paths.length > 0 ? paths : ['{apps,examples,libs,tests,tools}/**/*.{ts,tsx,mjs,cjs,js}']),
  ],
  'inherit',
);
if (formatted !== 0) {
  console.error('not formatted: npm run format');
  process.exit(1);
}
process.exit(
  run(
    [
      join(root, 'node_modules/eslint/bin/eslint.js'),
      '--max-warnings',
      '0',
      ...(paths.length > 0 ? paths : ['apps', 'libs', 'tests']),
    ],
    'inherit',
  ) ?? 1,
);
