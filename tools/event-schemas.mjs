// Writes contract/events: one JSON Schema for each source event, from the contract and the catalog; with --check it
// only says whether the files are what it would write. Builds first.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from './build.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'contract', 'events');
const dist = join(root, 'dist', 'event-schemas');
const require = createRequire(import.meta.url);

await build(dist, { bundled: false });
const { envelopeSchemas, schemaText } = require(join(dist, 'libs', 'events', 'src', 'catalog', 'event-schemas.js'));
const { components } = JSON.parse(readFileSync(join(dist, 'contract', 'openapi.json'), 'utf8'));
const wanted = new Map([...envelopeSchemas(components.schemas)].map(([file, schema]) => [file, schemaText(schema)]));
rmSync(dist, { recursive: true, force: true });

mkdirSync(folder, { recursive: true });
const present = readdirSync(folder);
if (!process.argv.includes('--check')) {
  for (const file of present) if (!wanted.has(file)) rmSync(join(folder, file));
  for (const [file, text] of wanted) writeFileSync(join(folder, file), text);
} else if (
  present.sort().join() !== [...wanted.keys()].sort().join() ||
  [...wanted].some(([file, text]) => readFileSync(join(folder, file), 'utf8') !== text)
) {
  console.error('contract/events is not what the contract says: node tools/run.mjs tools/event-schemas.mjs');
  process.exit(1);
}
