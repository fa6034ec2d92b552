import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parse } from 'yaml';
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
const plain = ['blueprint-ci', 'scheduled-report', 'support-desk'];

const tarballs = new Tarballs();
const copies = new Map<string, ExampleCopy>();
let service: OwnService | null = null;
let tour: TourBlocks;

beforeAll(async () => {
  tour = (await import(join(root, 'tools', 'tour', 'blocks.mjs'))) as TourBlocks;
  service = await OwnService.start();
});

afterAll(async () => {
  await service?.remove();
  for (const copy of copies.values()) copy.remove();
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

  it.each(plain)('%s prints what its README says', async (name) => {
    const copy = await copyOf(name);
    await copy.checkTypes();
    const blocks = tour.blocksOf(readmeOf(name));
    expect(blocks.length).toBeGreaterThan(0);
    for (const { command, printed } of blocks) {
      const output = await copy.run(command, access());
      expect({ missing: tour.missingLine(printed ?? '', output), output }).toEqual({ missing: null, output });
    }
  });

  it('support-desk finds what is there when it is run again', async () => {
    const copy = await copyOf('support-desk');
    for (const { command, printed } of tour.blocksOf(readmeOf('support-desk')))
      for (let round = 1; round <= 2; round += 1)
        expect(tour.missingLine(printed ?? '', await copy.run(command, access()))).toBeNull();
  });

  it('blueprint-ci has a workflow of the steps that its script has, and fails where the service refuses', async () => {
    const copy = await copyOf('blueprint-ci');
    const file = join(examples, 'blueprint-ci', '.github', 'workflows', 'blueprint.yaml');
    const { jobs } = parse(readFileSync(file, 'utf8')) as {
      jobs: Record<string, { if: string; steps: { run?: string }[] }>;
    };
    const steps = Object.entries(jobs).map(([name, job]) => [name, job.if, job.steps.flatMap(({ run }) => run ?? [])]);
    expect(steps).toEqual([
      ['plan', "github.event_name == 'pull_request'", ['npm install', 'sh ci.sh plan']],
      ['apply', "github.event_name == 'push'", ['npm install', 'sh ci.sh apply']],
    ]);
    for (const step of ['plan', 'apply'])
      await expect(copy.run(`sh ci.sh ${step}`, { ...access(), SVC_KEY: 'wrong' })).rejects.toThrow(/ended with 1\b/);
  });

  it('blueprint-ci has the command line in a checkout once it is installed there, and takes none from elsewhere', () => {
    const checkout = mkdtempSync(join(tmpdir(), 'aos-checkout-'));
    const folder = join(checkout, 'examples', 'blueprint-ci');
    for (const file of ['apps/svc/package.json', 'examples/blueprint-ci/package.json', 'examples/blueprint-ci/ci.sh'])
      cpSync(join(root, file), join(checkout, file));
    const builder = `import { mkdirSync, writeFileSync } from 'node:fs';
      mkdirSync('dist');
      writeFileSync('dist/svc.cjs', '#!/usr/bin/env node\\nconsole.log("svc of the checkout")');`;
    mkdirSync(join(checkout, 'tools'));
    writeFileSync(join(checkout, 'tools', 'svc-package.mjs'), builder);
    const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
    const nowhere = {
      npm_config_yes: 'true',
      npm_config_registry: 'http://127.0.0.1:9',
      npm_config_fetch_retries: '0',
    };
    const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, PATH: path, ...nowhere } } as const;
    const plan = () => execFileSync('sh', ['ci.sh', 'plan'], { ...options, stdio: 'pipe' });
    try {
      expect(plan).toThrow('node_modules/.bin/svc');
      execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund'], options);
      expect(plan()).toContain('svc of the checkout');
    } finally {
      rmSync(checkout, { recursive: true, force: true });
    }
  });
});

/** The service's address and the Owner's key, as the examples read them. */
function access(): { SVC_URL: string; SVC_KEY: string } {
  if (!service) throw new Error('the service did not start');
  return { SVC_URL: service.client.baseUrl, SVC_KEY: service.client.key ?? '' };
}

/** A copy of the example with its packages, one for all tests of it. */
async function copyOf(name: string): Promise<ExampleCopy> {
  const copy = copies.get(name) ?? (await ExampleCopy.installed(name, tarballs));
  copies.set(name, copy);
  return copy;
}
