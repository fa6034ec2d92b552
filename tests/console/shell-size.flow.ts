import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ConsoleTabs } from './flow.js';

const tabs = ConsoleTabs.forThisFile();
const dist = join(__dirname, '..', '..', 'apps', 'console', 'dist');
const bytesMax = 220 * 1024;

const small = (content: string | Buffer): number => gzipSync(content, { level: 9 }).length;

it('loads at most 220 KB of script until the overview stands, its charts and inline script too', async () => {
  const page = await tabs.open('/');
  await page.locator('.uplot canvas').nth(2).waitFor();
  await page.getByRole('table', { name: 'Failed turns' }).waitFor();
  await page.getByRole('table', { name: 'Latest sessions' }).waitFor();
  const loaded = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.endsWith('.js')),
  );
  const inline = await page.locator('script:not([src])').allTextContents();
  expect({ files: loaded.length > 1, inline: inline.length }).toEqual({ files: true, inline: 1 });
  const files = [...new Set(loaded)].map((path) => readFileSync(join(dist, path.slice('/console/'.length))));
  const bytes = [...files, ...inline].reduce((sum, content) => sum + small(content), 0);
  expect(bytes).toBeLessThanOrEqual(bytesMax);
  expect(bytes).toBeGreaterThan(bytesMax / 4); // it has counted something
});
