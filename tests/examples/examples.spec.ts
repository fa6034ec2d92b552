import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OwnService } from '../harness/embedded.js';
import { ExampleCopy, readmeOf, Tarballs } from './example.js';

interface TourBlocks {
  blocksOf(markdown: string): { command: string; printed: string | null }[];
  missingLine(printed: string, output: string): string | null;
}

const root = join(__dirname, '..', '..');
const examples = join(root, 'examples');
const readmeLinesMax = 40;
const names = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
/** Run word for word by this file; the others have a spec of their own. */
const plain = ['scheduled-report', 'support-desk'];

const tarballs = new Tarballs();
let service: OwnService | null = null;
let tour: TourBlocks;

beforeAll(async () => {
  tour = (await import(join(root, 'tools', 'tour', 'blocks.mjs'))) as TourBlocks;
  service = await OwnService.start();
}, 60_000);

afterAll(async () => {
  await service?.remove();
  tarballs.remove();
});

describe('examples', () => {
  it('are in the index, each with a README that fits on a page', () => {
    const index = readFileSync(join(examples, 'README.md'), 'utf8');
    for (const name of names) {
      expect(index).toContain(`[${name}](${name})`);
      expect(readmeOf(name).trimEnd().split('\n').length).toBeLessThanOrEqual(readmeLinesMax);
    }
  });

  it.each(plain)(
    '%s prints what its README says',
    async (name) => {
      const copy = new ExampleCopy(name);
      try {
        await copy.install(tarballs);
        const env = { SVC_URL: service?.client.baseUrl, SVC_KEY: service?.client.key ?? '' };
        const blocks = tour.blocksOf(readmeOf(name));
        expect(blocks.length).toBeGreaterThan(0);
        for (const { command, printed } of blocks) {
          const output = await copy.run(command, env);
          expect({ missing: tour.missingLine(printed ?? '', output), output }).toEqual({ missing: null, output });
        }
      } finally {
        copy.remove();
      }
    },
    60_000,
  );
});
