// Checks that the type checker and the linter do not make: purity, what contexts may import of each other, files that grew too long,
// what the contract gave before, and paths named in the documents. A check that sees too few files fails. node tools/check.mjs [folder]
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { contractFaults } from './contract-growth.mjs';

const FILES_MIN = 800;
const LINES_MAX = 400;
const TEST_LINES_MAX = 700;
const pureSuffixes = ['events', 'state', 'limits', 'decide', 'projection', 'wire', 'ids', 'frames', 'signals'];
const contexts = [
  'sessions',
  'definitions',
  'blueprints',
  'interactions',
  'access',
  'events',
  'streams',
  'tools',
  'routines',
];
const impure = [
  [/\bDate\.now\(|new Date\(\)/, 'reads the clock'],
  [/\bMath\.random\(|\brandomUUID\(|\brandomBytes\(/, 'draws random numbers'],
  [/\bprocess\./, 'reads the process'],
  [/from 'node:(?!crypto)/, 'does I/O'],
  [/from '@nestjs\//, 'knows Nest'],
];

const isSpec = (file) => /\.(spec|contract)\.ts$/.test(file) || file.includes('/testing/') || file.startsWith('tests/');
const isPure = (file) => pureSuffixes.some((suffix) => file.endsWith(`.${suffix}.ts`));
const importsOf = (text) => [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((match) => match[1]);

/** Takes the workspace's folder; gives the complaints, one line each, and how many files were seen. */
export function check(root, { filesMin = FILES_MIN } = {}) {
  const complaints = [];
  const files = globSync('{apps,libs,tests}/**/*.ts', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  });
  const baseline = baselineOf(root);
  if (files.length < filesMin) complaints.push(`only ${files.length} files seen`);
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    checkLength(file, text, baseline['file-length'], complaints);
    if (!isSpec(file)) checkImports(file, text, complaints);
    if (isPure(file)) checkPurity(file, text, complaints);
  }
  checkDocuments(root, complaints);
  checkContract(root, complaints);
  return { complaints, seen: files.length };
}

/** Named exceptions of each rule. A workspace without the file has none. */
function baselineOf(root) {
  const file = join(root, 'tools/check/baseline.json');
  return { 'file-length': [], ...(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}) };
}

function checkLength(file, text, exceptions, complaints) {
  const lines = text.split('\n').length;
  const most = isSpec(file) ? TEST_LINES_MAX : LINES_MAX;
  const isException = exceptions.includes(file);
  if (lines > most && !isException) complaints.push(`${file}: ${lines} lines, at most ${most}`);
  if (lines <= most && isException) complaints.push(`${file}: is short enough; take it out of the baseline`);
}

function checkPurity(file, text, complaints) {
  for (const [pattern, what] of impure) if (pattern.test(text)) complaints.push(`${file}: ${what}`);
  for (const name of importsOf(text)) {
    const relative = name.startsWith('.');
    const target = relative ? normalize(join(dirname(file), name.replace(/\.js$/, '.ts'))) : name;
    const ok = relative
      ? isPure(target)
      : ['@aos/kernel', '@aos/platform', 'node:crypto'].includes(name) || name.endsWith('/published');
    if (!ok) complaints.push(`${file}: a pure file imports ${name}`);
  }
}

function checkImports(file, text, complaints) {
  const [, , home] = file.match(/^(apps|libs)\/([^/]+)\//) ?? [];
  const layer = file.split('/')[0];
  for (const name of importsOf(text)) {
    const [, library, rest] = name.match(/^@aos\/([^/]+)(?:\/(.*))?$/) ?? [];
    if (!library) {
      if (
        /^\.\.?\//.test(name) &&
        !normalize(join(dirname(file), name)).startsWith(file.split('/').slice(0, 2).join('/'))
      )
        complaints.push(`${file}: leaves its library by ${name}`);
      continue;
    }
    if (name.endsWith('/testing') || name.endsWith('/contracts')) complaints.push(`${file}: only tests import ${name}`);
    if (layer === 'apps') continue;
    if (home === 'kernel') complaints.push(`${file}: the kernel imports ${name}`);
    if (home === 'adapters' && library !== 'kernel') complaints.push(`${file}: an adapter imports ${name}`);
    if (home === 'platform' && contexts.includes(library)) complaints.push(`${file}: the platform imports ${name}`);
    if (contexts.includes(home) && library === 'adapters') complaints.push(`${file}: a context imports ${name}`);
    if (contexts.includes(home) && contexts.includes(library) && library !== home && rest !== 'published')
      complaints.push(`${file}: imports ${name} past its published.ts`);
  }
}

/** Paths between backticks in the documents must exist. */
function checkDocuments(root, complaints) {
  for (const file of globSync('{README.md,docs/**/*.md}', { cwd: root })) {
    for (const [, path] of readFileSync(join(root, file), 'utf8').matchAll(
      /`((?:apps|libs|tools|tests|deploy|docker|docs|contract)\/[\w./-]+)`/g,
    )) {
      if (!existsSync(join(root, path))) complaints.push(`${file}: names ${path}, which is not there`);
    }
  }
}

function checkContract(root, complaints) {
  const given = join(root, '..', 'shared', 'spec', 'openapi.yaml');
  const own = join(root, 'contract', 'openapi.yaml');
  if (!existsSync(given) || !existsSync(own)) return;
  const [before, now] = [given, own].map((file) => readFileSync(file, 'utf8'));
  if (before !== now)
    complaints.push(...contractFaults(parse(before), parse(now)).map((fault) => `contract/openapi.yaml: ${fault}`));
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { complaints, seen } = check(process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url))));
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exit(1);
  console.log(`${seen} files checked`);
}
