import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { digestOf, pageHeaders, type PagePolicy } from '../pages/page-policy.js';

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
const programFolder = join(__dirname, '..', '..', '..', '..', '..', 'reference');

/**
 * Takes the folder of the program. Gives the page, or null when the build has no program: then it was made without the
 * install step that fetches it. Throws when a part of the page is missing.
 */
export function loadReferencePage(folder = programFolder): ReferencePage | null {
  const file = join(folder, 'standalone.js.gz');
  if (!existsSync(file)) return null;
  const programGzip = readFileSync(file);
  const program = digestOf(gunzipSync(programGzip));
  const script = readFileSync(join(__dirname, 'reference.page.js'), 'utf8');
  const html = readFileSync(join(__dirname, 'reference.html'), 'utf8')
    .replace('/* integrity */', program)
    .replace('/* script */', () => script);
  if (!html.includes(program) || !html.includes(script)) throw new Error('reference.html has no place for its parts');
  return { html, ...pageHeaders(policyOf([program, digestOf(script)])), programGzip, programTag: `"${program}"` };
}

/**
 * The program sets innerHTML and adds style elements, so it gets a policy of its own: the two scripts by their hashes,
 * no Trusted Types, and no other host.
 */
function policyOf(scripts: readonly string[]): PagePolicy {
  return {
    scripts,
    styles: "'unsafe-inline'",
    images: "'self' data:",
    fonts: "'self' data:",
    cacheControl: 'no-cache',
  };
}
