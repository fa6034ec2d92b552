import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The page of the API, its program and what browsers may do with both. */
export interface ReferencePage {
  html: string;
  headers: Record<string, string>;
  /** The program as JavaScript, compressed with gzip. */
  programGzip: Buffer;
  /** Changes with the program. */
  programTag: string;
}

/** Beside apps and libs in dist: `tools/build.mjs` puts the program there. */
export const programFolder = join(__dirname, '..', '..', '..', '..', '..', 'reference');

/**
 * Takes the folder of the program. Gives the page, or null when the build has no program: then it was made without the
 * install step that fetches it. Throws when a part of the page is missing.
 */
export function loadReferencePage(folder = programFolder): ReferencePage | null {
  const file = join(folder, 'standalone.js.gz');
  if (!existsSync(file)) return null;
  const programGzip = readFileSync(file);
  const program = digest(gunzipSync(programGzip));
  const script = readFileSync(join(__dirname, 'reference.page.js'), 'utf8');
  const html = readFileSync(join(__dirname, 'reference.html'), 'utf8')
    .replace('/* integrity */', program)
    .replace('/* script */', () => script);
  if (!html.includes(program) || !html.includes(script)) throw new Error('reference.html has no place for its parts');
  return { html, headers: pageHeaders([program, digest(script)]), programGzip, programTag: `"${program}"` };
}

/**
 * The program sets innerHTML and adds style elements, so it gets a policy of its own: the two scripts by their hashes,
 * no Trusted Types, and no other host.
 */
function pageHeaders(scripts: readonly string[]): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src ${scripts.map((each) => `'${each}'`).join(' ')}`,
      "style-src 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'cache-control': 'no-cache',
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

function digest(content: Buffer | string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}
