import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { loadReferencePage } from './reference-page.js';

describe('the page of the contract (rule G30)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reference-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is not there in a build without its program', () => {
    expect(loadReferencePage(folder)).toBeNull();
  });

  it('allows its two scripts by their hashes, and no other host', () => {
    writeFileSync(join(folder, 'standalone.js.gz'), gzipSync('program'));
    const page = loadReferencePage(folder);
    // printf program | openssl dgst -sha256 -binary | base64
    const program = 'sha256-ExDKLIky29EYZovZdEJVij4fVGteFcaWmd+9YCT1SNg=';
    expect(page?.html).toContain(`integrity="${program}"`);
    const policy = page?.headers['content-security-policy'] ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+' 'sha256-[^']+';/);
    expect(policy).toContain(`'${program}'`);
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
  });
});
