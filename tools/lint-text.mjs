// Lints what comes on standard input as if it stood in the named file, then nothing there, and counts the complaints of
// each rule. It shows that the rules see what they are meant to see: node tools/lint-text.mjs <file> < text
import { ESLint } from 'eslint';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const filePath = join(root, process.argv[2]);
// The boundary rule skips itself without Nx's project graph.
spawnSync(process.execPath, [join(root, 'node_modules/nx/dist/bin/nx.js'), 'show', 'projects'], {
  cwd: root,
  env: { ...process.env, NX_DAEMON: 'false' },
  stdio: 'ignore',
});
const linter = new ESLint({ cwd: root });
const [{ messages }] = await linter.lintText(readFileSync(0, 'utf8'), { filePath });
const counts = new Map();
for (const { ruleId } of messages) counts.set(ruleId ?? 'unparsed', (counts.get(ruleId ?? 'unparsed') ?? 0) + 1);
for (const [rule, count] of counts) console.log(`${rule}: ${count}`);
const [clean] = await linter.lintText('export const nothing = 0;\n', { filePath });
console.log(`clean: ${clean.messages.length}`);
