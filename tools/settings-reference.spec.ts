import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsReference } from '@aos/platform';

test('docs/SETTINGS.md holds the table that the settings are parsed by: node tools/run.mjs tools/settings-reference.mjs writes it', () => {
  expect(readFileSync(join(__dirname, '..', 'docs', 'SETTINGS.md'), 'utf8')).toContain(settingsReference());
});
