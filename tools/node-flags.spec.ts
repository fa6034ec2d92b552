import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const said: { flags: string[]; environment: Record<string, string> } = JSON.parse(
  execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { nodeFlags, nodeEnvironment } from ${JSON.stringify(join(root, 'tools', 'node-flags.mjs'))};
     console.log(JSON.stringify({ flags: nodeFlags, environment: nodeEnvironment }));`,
    ],
    { env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
  ),
);

test.each(['package.json', 'docker/Dockerfile'])(
  '%s starts services with the flags of the fleet and the bench',
  (file) => {
    const ofMemory = String.raw`(?:min|max)-semi-space-size|heap-growing-percent|use-largepages`;
    const ofCompiler = String.raw`concurrent-recompilation-queue-length|no-turbo-inline-array-builtins`;
    const known = new RegExp(`--(?:${ofMemory}|${ofCompiler})(?:=\\w+)?`, 'g');
    const flags = [...read(file).matchAll(known)].map(([flag]) => flag);
    expect(new Set(flags)).toEqual(new Set(said.flags.filter((flag) => flag !== '--enable-source-maps')));
  },
);

test.each(['package.json', 'docker/Dockerfile'])(
  '%s starts services with the environment of the fleet and the bench',
  (file) => {
    for (const value of Object.values(said.environment)) expect(read(file)).toContain(value);
  },
);
