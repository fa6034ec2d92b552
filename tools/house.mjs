// Measures how easy the code is to enter.
// node tools/run.mjs tools/house.mjs [folder of a checkout] [--walks] [--write before|now]
// --walks also starts the service and counts what runs (tools/walks.mjs); the checkout needs its packages then.
// --write puts the numbers into that column of docs/reports/house.md; a row that was not measured keeps what it has.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cyclesOf } from './check/graph.mjs';
import { unusedPackages } from './check/packages.mjs';
import {
  claimEngines,
  classesOf,
  messageClasses,
  opaquePromises,
  registeredNames,
  unknownCasts,
  waysToSend,
  wideConstructors,
} from './house/classes.mjs';
import { fileImports, folderImports, mutualPairs } from './house/cycles.mjs';
import { foldedKinds } from './house/folds.mjs';
import { citable, citingLines, namedByTests } from './house/law.mjs';
import { withColumn } from './house/report.mjs';
import { lineCount, medianLines, wideLines } from './house/sizes.mjs';
import { readCheckout } from './house/sources.mjs';
import { measureWalks } from './walks.mjs';

const ownRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const reportPath = join(ownRoot, 'docs/reports/house.md');
const walkNames = ['invoke', 'nudge', 'answer', 'apply'];
const filesMin = 200;
/** Checks and measures hold seeded examples of citations. */
const seededFiles = /^tools\/(house|check)\b/;

const number = (value) => value.toLocaleString('en-US');
const part = (some, all) => `${number(some)} of ${number(all)}`;

/** Takes a checkout. Gives the rows of classes and types: measure to value. */
function classRows(checkout) {
  const classes = classesOf(checkout);
  const wide = wideConstructors(classes);
  const [widest] = wide;
  const senders = [waysToSend(classes).length, registeredNames(classes).length, messageClasses(classes).length];
  return {
    'ways to send a command; names outside a declaration; message classes': senders.map(number).join('; '),
    'constructors over 7 parameters, highest': `${part(wide.length, classes.length)}, ${widest?.injected.length ?? 'none'}`,
    '`as unknown as`; `Promise<JsonObject>` in production': `${number(unknownCasts(checkout).length)}; ${number(opaquePromises(checkout).length)}`,
    'name-claim engines': number(claimEngines(checkout, classes).length),
  };
}

/** Rules and invariants are looked up in the checkout's own list, or in this repository's where it has none. */
function lawRows(checkout, ownDocuments) {
  const known = citable(checkout.documents);
  const listed = known.rule.size > 0 ? known : citable(ownDocuments());
  const isReal = ({ path }) => !seededFiles.test(path);
  const { lines, resolved } = citingLines([...checkout.code, ...checkout.documents].filter(isReal), known);
  const { rules, invariants } = namedByTests(checkout.tests.filter(isReal), listed);
  const named = ({ named: some, all, seen }) => (all === 0 ? `no list; ${number(seen)} ids named` : part(some, all));
  return {
    'citing lines that resolve in the repository': part(resolved, lines),
    'rules; invariants named by a test': `${named(rules)}; ${named(invariants)}`,
  };
}

function graphRows(checkout) {
  const files = fileImports(checkout);
  const folders = folderImports(files);
  const kinds = foldedKinds(checkout);
  const changing = kinds.filter(({ isChanging }) => isChanging);
  return {
    'kinds whose fold changes its state': part(changing.length, kinds.length),
    'folder cycles, mutual pairs; file cycles': `${cyclesOf(folders).length}, ${mutualPairs(folders).length}; ${cyclesOf(files).length}`,
  };
}

function sizeRows({ code, production }) {
  return {
    'production lines over 120 columns': number(wideLines(production)),
    'production lines, files, median of a file': `${number(lineCount(production))}, ${number(production.length)}, ${medianLines(production)}`,
    'all lines, files': `${number(lineCount(code))}, ${number(code.length)}`,
  };
}

function packageRows(root, { code, configuration }) {
  const json = (name) => (existsSync(join(root, name)) ? JSON.parse(readFileSync(join(root, name), 'utf8')) : null);
  const sources = [...code, ...configuration.filter(({ path }) => !path.startsWith('package'))];
  const unused = unusedPackages(json('package.json') ?? {}, json('package-lock.json'), sources);
  return { 'packages imported nowhere, peers apart': number(unused.length) };
}

function walkRows({ files, untilAnswer, loads }) {
  const counts = walkNames.map((name) => files[name].length);
  return {
    [`files that run: ${walkNames.join(', ')}; invoke until its answer`]: `${counts.join(', ')}; about ${untilAnswer.invoke.length}`,
    "loads of the session before an invoke's append": number(loads),
  };
}

/** Takes the folder of a checkout and what its walks measured (or null). Gives measure to value. */
export function measure(root, walks = null) {
  const checkout = readCheckout(root);
  if (checkout.production.length < filesMin)
    throw new Error(`only ${checkout.production.length} production files in ${root}`);
  return {
    ...(walks ? walkRows(walks) : {}),
    ...classRows(checkout),
    ...lawRows(checkout, () => readCheckout(ownRoot).documents),
    ...graphRows(checkout),
    ...packageRows(root, checkout),
    ...sizeRows(checkout),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const column = args.includes('--write') ? args[args.indexOf('--write') + 1] : null;
  const folder = resolve(args.find((word) => !word.startsWith('--') && word !== column) ?? ownRoot);
  const rows = measure(folder, args.includes('--walks') ? await measureWalks(folder) : null);
  console.log('| measure | value |\n|---|---|');
  for (const [name, value] of Object.entries(rows)) console.log(`| ${name} | ${value} |`);
  if (column) writeFileSync(reportPath, withColumn(readFileSync(reportPath, 'utf8'), column, rows));
}
