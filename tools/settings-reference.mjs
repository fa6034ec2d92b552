// Writes docs/SETTINGS.md from the settings table; with --check it only says whether the page is what it would write.
// Builds first.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';

const root = join(import.meta.dirname, '..');
const page = join(root, 'docs', 'SETTINGS.md');

/** Takes the table's Markdown; gives the page. */
export function settingsPage(table) {
  return `# Settings

Environment variables, read once at the start. Every fault is reported and the process does not start. Switches take \`on\` or \`off\`; empty text
counts as absent; \`<name>_FILE\` names a file whose text is read instead (secrets are usually mounted that way). A name that begins with \`SVC_\` and is no
setting is a warning with the nearest one. Made from \`libs/platform/src/settings/settings-table.ts\` by
\`tools/settings-reference.mjs\`.

${table}
`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const dist = join(root, 'dist', 'settings');
  await build(dist, { bundled: false });
  const { settingsReference } = createRequire(import.meta.url)(
    join(dist, 'libs', 'platform', 'src', 'settings', 'index.js'),
  );
  const wanted = settingsPage(settingsReference());
  if (!process.argv.includes('--check')) writeFileSync(page, wanted);
  else if (readFileSync(page, 'utf8') !== wanted) {
    console.error(
      'docs/SETTINGS.md is not what the settings table says: node tools/run.mjs tools/settings-reference.mjs',
    );
    process.exit(1);
  }
}
