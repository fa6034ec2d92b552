// Checks that the type checker and the linter do not make: one module for each rule in tools/check. node
// tools/check.mjs [folder] [--shrink] A rule gives faults `{ where, what }`. Named exceptions stand in tools/check/baseline.json
// as rule -> list of `where`; one that is no longer
// needed is a fault, and `--shrink` takes it off the list.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as casts from './check/casts.mjs';
import * as citations from './check/citations.mjs';
import * as commentWidth from './check/comment-width.mjs';
import * as constructorArity from './check/constructor-arity.mjs';
import * as contract from './check/contract.mjs';
import * as contractImports from './check/contract-imports.mjs';
import * as controllers from './check/controllers.mjs';
import * as deciders from './check/deciders.mjs';
import * as documents from './check/documents.mjs';
import * as fileCycles from './check/file-cycles.mjs';
import * as fileLength from './check/file-length.mjs';
import * as folderCycles from './check/folder-cycles.mjs';
import * as functionLength from './check/function-length.mjs';
import * as guide from './check/guide.mjs';
import * as imports from './check/imports.mjs';
import * as injectables from './check/injectables.mjs';
import * as loneFiles from './check/lone-files.mjs';
import * as packages from './check/packages.mjs';
import * as proved from './check/proved.mjs';
import * as python from './check/python.mjs';
import * as purity from './check/purity.mjs';
import * as queryBus from './check/query-bus.mjs';
import * as releaseFeatures from './check/release-features.mjs';
import * as storedShapes from './check/stored-shapes.mjs';
import * as suffixes from './check/suffixes.mjs';
import * as words from './check/words.mjs';
import { readWorkspace } from './check/workspace.mjs';

const filesSeenMin = 800;
const baselineFile = 'tools/check/baseline.json';
const rules = [
  fileLength,
  commentWidth,
  functionLength,
  constructorArity,
  casts,
  imports,
  fileCycles,
  folderCycles,
  loneFiles,
  suffixes,
  purity,
  controllers,
  injectables,
  queryBus,
  deciders,
  releaseFeatures,
  storedShapes,
  documents,
  guide,
  packages,
  contract,
  contractImports,
  citations,
  proved,
  words,
  python,
];

/**
 * Takes the workspace's folder; gives the complaints, one line each, and how many files were seen. Seeing too few files
 * is a complaint.
 */
export function check(root, { filesMin = filesSeenMin } = {}) {
  const workspace = readWorkspace(root);
  const baseline = workspace.has(baselineFile) ? JSON.parse(workspace.read(baselineFile)) : {};
  const faults = new Map(rules.map((rule) => [rule.name, rule.check(workspace)]));
  const complaints = [...faults].flatMap(([rule, found]) => judge(rule, found, baseline[rule] ?? []));
  for (const unknown of Object.keys(baseline).filter((key) => !rules.some(({ name }) => name === key)))
    complaints.push(`${baselineFile}: no rule is named ${unknown}`);
  const seen = workspace.files.length;
  if (seen < filesMin) complaints.unshift(`only ${seen} files seen`);
  return { complaints, seen, needed: () => neededOf(baseline, faults) };
}

/** The baseline without the exceptions that nothing needs. */
function neededOf(baseline, faults) {
  const needed = Object.entries(baseline).map(([rule, exceptions]) => [
    rule,
    exceptions.filter((exception) => faults.get(rule)?.some(({ where }) => where === exception)),
  ]);
  return Object.fromEntries(needed.filter(([, exceptions]) => exceptions.length > 0));
}

function judge(rule, faults, exceptions) {
  const unneeded = exceptions.filter((exception) => !faults.some(({ where }) => where === exception));
  return [
    ...faults.filter(({ where }) => !exceptions.includes(where)).map(({ where, what }) => `${where}: ${what}`),
    ...unneeded.map((exception) => `${exception}: no longer needs its exception from ${rule} in ${baselineFile}`),
  ];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [given] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const root = given ?? dirname(dirname(fileURLToPath(import.meta.url)));
  if (process.argv.includes('--shrink'))
    writeFileSync(join(root, baselineFile), `${JSON.stringify(check(root).needed(), null, 2)}\n`);
  const { complaints, seen } = check(root);
  for (const complaint of complaints) console.error(complaint);
  if (complaints.length > 0) process.exit(1);
  console.log(`${seen} files checked`);
}
