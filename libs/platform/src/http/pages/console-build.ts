import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestOf } from './page-policy.js';

/** One file that the page loads. */
export interface ConsoleAsset {
  type: string;
  content: Buffer;
  /** Changes with the content. */
  tag: string;
}

/** The console as it was built: its page, and the files that it loads. */
export interface ConsoleBuild {
  /** With the placeholder of the nonce. */
  html: string;
  /** Digests of the page's scripts. */
  scripts: readonly string[];
  trustedTypes: readonly string[];
  /** By their path under `/console/`; nothing else is served. */
  assets: ReadonlyMap<string, ConsoleAsset>;
}

/** What `manifest.json` of a build says. */
interface Manifest {
  scripts: string[];
  trustedTypes: string[];
  assets: Record<string, { type: string }>;
}

const filesMax = 500;
const bytesMax = 32 * 1024 * 1024;
/** A script that the policy allows, as the policy writes it. */
const digestForm = /^sha256-[A-Za-z0-9+/]{43}=$/;
const policyNameForm = /^[A-Za-z0-9_.-]{1,64}$/;
const assetForm = /^assets\/[A-Za-z0-9_.-]+$/;
export const noncePlaceholder = '__CSP_NONCE__';

const ofBuild = join('apps', 'console', 'dist');
/** The root of the sources or of the built output, whichever runs. */
const ownRoot = join(__dirname, '..', '..', '..', '..', '..');

/**
 * The folder of the console's build; null when it was not built. It lies in the output that runs (an output outside of
 * the checkout has a copy), or beside the packages that the process loads, as in the checkout and the image.
 */
export function consoleFolder(root = ownRoot): string | null {
  const beside = nearest(root, (folder) => existsSync(join(folder, 'node_modules')));
  const folders = [root, ...(beside === null ? [] : [beside])].map((folder) => join(folder, ofBuild));
  return folders.find((folder) => existsSync(join(folder, 'manifest.json'))) ?? null;
}

function nearest(folder: string, isIt: (folder: string) => boolean): string | null {
  if (isIt(folder)) return folder;
  const above = dirname(folder);
  return above === folder ? null : nearest(above, isIt);
}

/**
 * Reads a build whole, so that what is served is of one build.
 *
 * Refuses  a build without its page or a file that it names, one that is too large, and one that would loosen the
 *          policy of its page: it throws.
 */
export function readConsoleBuild(folder: string): ConsoleBuild {
  const {
    scripts,
    trustedTypes,
    assets: named,
  } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const faults = [
    ...(html.includes(noncePlaceholder) ? [] : ['index.html has no place for the nonce']),
    ...(scripts.length > 0 && scripts.every((each) => digestForm.test(each)) ? [] : ['scripts are not digests']),
    ...(trustedTypes.every((each) => policyNameForm.test(each)) ? [] : ['trustedTypes are not names']),
    ...Object.keys(named)
      .filter((path) => !assetForm.test(path))
      .map((path) => `${path} is no asset`),
    ...(Object.keys(named).length <= filesMax ? [] : [`more than ${filesMax} files`]),
  ];
  if (faults.length > 0) throw new Error(`the build of the console: ${faults.join('; ')}`);
  const assets = new Map<string, ConsoleAsset>();
  let bytes = 0;
  for (const [path, { type }] of Object.entries(named)) {
    const content = readFileSync(join(folder, path));
    bytes += content.length;
    if (bytes > bytesMax) throw new Error(`the build of the console has over ${bytesMax} bytes`);
    assets.set(path, { type, content, tag: `"${digestOf(content)}"` });
  }
  return { html, scripts, trustedTypes, assets };
}
